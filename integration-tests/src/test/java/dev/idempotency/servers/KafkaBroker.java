package dev.idempotency.servers;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Exit;

import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/**
 * A Kafka that runs among the tests, and can be reached from other processes.
 */
public final class KafkaBroker {

	private static final class Shared {

		private static final KafkaBroker BROKER = start();

	}

	private final EmbeddedKafkaBroker broker;

	private KafkaBroker(EmbeddedKafkaBroker broker) {
		this.broker = broker;
	}

	/**
	 * The broker that all tests of this process share. It ends with the process.
	 */
	public static KafkaBroker shared() {
		return Shared.BROKER;
	}

	private static KafkaBroker start() {
		EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1);
		broker.brokerProperty("offsets.topic.num.partitions", "1");
		// Transactions are logged where there is one broker
		broker.brokerProperty("transaction.state.log.replication.factor", "1");
		broker.brokerProperty("transaction.state.log.min.isr", "1");
		broker.brokerProperty("transaction.state.log.num.partitions", "1");
		broker.brokerProperty("group.initial.rebalance.delay.ms", "0");
		// Consumers that are killed are to be noticed within a test
		broker.brokerProperty("group.min.session.timeout.ms", "500");
		// Its own hooks would delete its files while it still writes to them
		Exit.setShutdownHookAdder((name, hook) -> {
		});
		try {
			broker.afterPropertiesSet();
		}
		finally {
			Exit.resetShutdownHookAdder();
		}
		Runtime.getRuntime().addShutdownHook(new Thread(broker::destroy));
		return new KafkaBroker(broker);
	}

	public String bootstrapServers() {
		return this.broker.getBrokersAsString();
	}

	/**
	 * The name of a new topic.
	 */
	public String newTopic(int partitions) {
		String topic = "topic-" + UUID.randomUUID();
		this.broker.addTopics(new NewTopic(topic, partitions, (short) 1));
		return topic;
	}

	/**
	 * Sends messages, one for each key, in this order.
	 */
	public void send(String topic, String... keys) {
		send(Arrays.stream(keys).map((key) -> new ProducerRecord<>(topic, key, "text")).toList());
	}

	/**
	 * Sends messages in this order.
	 */
	public void send(List<ProducerRecord<String, String>> messages) {
		Map<String, Object> settings = Map.of("bootstrap.servers", bootstrapServers());
		try (Producer<String, String> producer = new KafkaProducer<>(settings, new StringSerializer(),
				new StringSerializer())) {
			for (ProducerRecord<String, String> message : messages) {
				producer.send(message).get();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
