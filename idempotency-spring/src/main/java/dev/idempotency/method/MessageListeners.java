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
 * Knows methods that get messages, and what such a method loses messages by. All of it by
 * name, since there may be no broker at all.
 */
final class MessageListeners {

	private static final List<String> LISTENERS = List.of("org.springframework.kafka.annotation.KafkaListener",
			"org.springframework.kafka.annotation.KafkaHandler",
			"org.springframework.amqp.rabbit.annotation.RabbitListener",
			"org.springframework.amqp.rabbit.annotation.RabbitHandler",
			"org.springframework.jms.annotation.JmsListener");

	/**
	 * What a method acknowledges its message with.
	 */
	private static final Set<String> ACKNOWLEDGING = Set.of("org.springframework.kafka.support.Acknowledgment",
			"com.rabbitmq.client.Channel");

	private MessageListeners() {
	}

	/**
	 * What is to be feared for the messages of a method.
	 * @return a sentence for each doubt, to follow the name of the method
	 */
	static List<String> doubts(Method method, OperationPolicy policy) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		List<String> doubts = new ArrayList<>();
		if (LISTENERS.stream().anyMatch(annotations::isPresent)) {
			if (policy.patience().isZero()) {
				doubts
					.add(("does not wait for a running twin: a message that comes again after a crash is refused until the lease "
							+ "(%d s) is over, and may be given up before that. Write onConflict = OnConflict.WAIT, with a "
							+ "wait-timeout over the lease")
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
