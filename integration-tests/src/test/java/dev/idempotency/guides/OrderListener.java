package dev.idempotency.guides;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import org.apache.kafka.clients.consumer.ConsumerRecord;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * The first example of {@code docs/messages.md}.
 */
@Component
class OrderListener {

	private final Orders orders;

	OrderListener(Orders orders) {
		this.orders = orders;
	}

	@KafkaListener(topics = "orders")
	@Idempotent(key = "#record.key()", onConflict = OnConflict.WAIT, ttl = "7d")
	void on(ConsumerRecord<String, Order> record) {
		this.orders.accept(record.value());
	}

}
