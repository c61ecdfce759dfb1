package dev.idempotency.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import dev.idempotency.core.OperationPolicy;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Finds message listeners, and settings with which they may lose messages. Types are
 * compared by name, since brokers are optional.
 */
final class MessageListeners {

	private static final List<String> LISTENERS = List.of("org.springframework.kafka.annotation.KafkaListener",
			"org.springframework.kafka.annotation.KafkaHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitListener",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.jms.annotation.JmsListener");

	/**
	 * Parameters with which a method acknowledges its message.
	 */
	private static final Set<String> ACKNOWLEDGING = Set.of("org.springframework.kafka.support.Acknowledgment",
			"com.rabbitmq.client.Channel");

	private MessageListeners() {
	}

	/**
	 * Returns why a method may lose messages.
	 * @return a sentence for each doubt, to follow the name of the method
	 */
	static List<String> doubts(Method method, OperationPolicy policy) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		List<String> doubts = new ArrayList<>();
		if (LISTENERS.stream().anyMatch(annotations::isPresent)) {
			if (policy.patience().isZero()) {
				doubts.add(
						("does not wait for a concurrent attempt. After a crash, a redelivered message is refused until the lease "
								+ "(%d s) expires, and may be dropped before that. Write onConflict = OnConflict.WAIT, "
								+ "with a wait-timeout longer than the lease")
							.formatted(policy.lease().toSeconds()));
			}
			Arrays.stream(method.getParameterTypes())
				.filter((type) -> ACKNOWLEDGING.contains(type.getName()))
				.forEach((type) -> doubts
					.add("takes %s: it does not run for a message that has run before, and so does not acknowledge it. "
						.formatted(type.getSimpleName())
							+ "Leave that to the container, or protect a method of another bean that this one calls"));
		}
		return doubts;
	}

}
