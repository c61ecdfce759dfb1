package dev.idempotency.guides;

import java.util.List;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * A batch has no key, its messages have.
 */
@Component
class OrderBatchListener {

	private final Orders orders;

	OrderBatchListener(Orders orders) {
		this.orders = orders;
	}

	@KafkaListener(topics = "orders", batch = "true")
	void on(List<ConsumerRecord<String, Order>> records) {
		records.forEach((record) -> this.orders.handle(record.value()));
	}

}
