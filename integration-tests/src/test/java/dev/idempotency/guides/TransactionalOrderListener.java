package dev.idempotency.guides;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import org.apache.kafka.clients.consumer.ConsumerRecord;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * The listener of {@code docs/recipes.md}.
 */
@Component
class TransactionalOrderListener {

	private final JdbcClient jdbc;

	TransactionalOrderListener(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@KafkaListener(topics = "orders")
	@Idempotent(key = "#record.key()", transactional = true, onConflict = OnConflict.WAIT, ttl = "7d")
	void on(ConsumerRecord<String, Order> record) {
		this.jdbc.sql("insert into orders (id, amount) values (:id, :amount)").paramSource(record.value()).update();
	}

}
