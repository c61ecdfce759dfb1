package dev.idempotency.messaging;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.servers.KafkaBroker;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.kafka.annotation.KafkaListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A batch has no key, its messages have: a batch that comes again goes on where it
 * failed.
 */
@Tag("slow")
class BatchListenerTests {

	@Test
	void protectsEachMessageOfABatch() {
		KafkaBroker broker = KafkaBroker.shared();
		String topic = broker.newTopic(1);
		broker.send(topic, "first", "shaky", "third", "first", "last");
		Listening.onKafka(broker, topic)
			.withPropertyValues("topic=" + topic)
			.withBean(Orders.class)
			.withBean(Batches.class)
			.run((context) -> {
				Orders orders = context.getBean(Orders.class);
				Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> orders.runs().contains("last"));
				assertThat(orders.runs()).containsExactly("first", "shaky", "shaky", "third", "last");
			});
	}

	static class Batches {

		private final Orders orders;

		Batches(Orders orders) {
			this.orders = orders;
		}

		@KafkaListener(topics = "${topic}", batch = "true")
		void on(List<ConsumerRecord<String, String>> records) {
			records.forEach((record) -> this.orders.handle(record.key()));
		}

	}

	static class Orders {

		private final Queue<String> runs = new ConcurrentLinkedQueue<>();

		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		void handle(String id) {
			this.runs.add(id);
			if (id.equals("shaky") && runs().indexOf(id) == this.runs.size() - 1) {
				throw new IllegalStateException("The first delivery fails");
			}
		}

		List<String> runs() {
			return List.copyOf(this.runs);
		}

	}

}
