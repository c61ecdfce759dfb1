package dev.idempotency.guides;

import java.util.List;
import java.util.Map;

import dev.idempotency.IdempotencyKeyMissingException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DefaultErrorHandler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The code of {@code docs/messages.md} at work, but for the broker: what one does is in
 * {@code RedeliveryDuringLeaseTests} and {@code BatchListenerTests}.
 */
@Tag("once")
class MessagesGuideTests {

	private static ConsumerRecord<String, Order> message(@Nullable String key, Order order) {
		return new ConsumerRecord<>("orders", 0, 0, key, order);
	}

	@Test
	void handlesAMessageOnce() {
		new Shop().runner().withBean(Orders.class).withBean(OrderListener.class).run((context) -> {
			OrderListener listener = context.getBean(OrderListener.class);
			listener.on(message("m-1", new Order("1", 5)));
			listener.on(message("m-1", new Order("1", 5)));
			listener.on(message("m-2", new Order("1", 5)));
			assertThat(context.getBean(Orders.class).handled()).hasSize(2);
			assertThatExceptionOfType(IdempotencyKeyMissingException.class)
				.isThrownBy(() -> listener.on(message(null, new Order("1", 5))));
		});
	}

	@Test
	void handlesEachMessageOfABatchOnce() {
		new Shop().runner().withBean(Orders.class).withBean(OrderBatchListener.class).run((context) -> {
			OrderBatchListener listener = context.getBean(OrderBatchListener.class);
			listener.on(List.of(message("m", new Order("1", 5)), message("m", new Order("2", 5))));
			listener.on(List.of(message("m", new Order("2", 5)), message("m", new Order("3", 5))));
			assertThat(context.getBean(Orders.class).handled()).extracting(Order::id).containsExactly("1", "2", "3");
		});
	}

	@Test
	void doesNotTryAgainWhatHasNoKey() {
		KafkaTemplate<String, String> template = new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of()));
		DefaultErrorHandler handler = new KafkaErrors().errorHandler(template);
		assertThat(handler.removeClassification(IdempotencyKeyMissingException.class)).isFalse();
	}

}
