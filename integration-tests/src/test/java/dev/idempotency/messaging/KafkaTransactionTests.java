package dev.idempotency.messaging;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import dev.idempotency.Idempotent;
import dev.idempotency.messaging.TransactionalListeners.Failure;
import dev.idempotency.messaging.TransactionalListeners.Kind;
import dev.idempotency.messaging.TransactionalListeners.Ledger;
import dev.idempotency.messaging.TransactionalListeners.Services;
import dev.idempotency.servers.KafkaBroker;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.transaction.annotation.Transactional;

/**
 * Work in a database, inside of a transaction of Kafka: the key goes with the work, and
 * not with the message, which comes again when Kafka's transaction is rolled back.
 */
@Tag("slow")
class KafkaTransactionTests {

	private final KafkaBroker broker = KafkaBroker.shared();

	/**
	 * Kafka's manager takes no part in synchronizations, unless it is told to.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "SYNCHRONIZATION_NEVER", "SYNCHRONIZATION_ALWAYS" })
	void workIsDoneOnceWhateverBecomesOfTheMessage(String synchronization) {
		Map<Kind, String> topics = new EnumMap<>(Kind.class);
		Arrays.stream(Kind.values()).forEach((kind) -> topics.put(kind, this.broker.newTopic(1)));
		ApplicationContextRunner runner = Listening.onKafka(this.broker, "group-" + UUID.randomUUID())
			.withPropertyValues("spring.kafka.producer.transaction-id-prefix=tx-", "synchronization=" + synchronization)
			.withPropertyValues(Kind.properties(topics))
			.withUserConfiguration(Listeners.class);
		TransactionalListeners.withDatabase(runner)
			.run((context) -> TransactionalListeners.requireOneRowForEachMessage(context.getBean(Ledger.class),
					List.of(Failure.values()),
					(kind, message) -> this.broker.send(Objects.requireNonNull(topics.get(kind)), message)));
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Orders.class)
	static class Listeners {

		@Bean
		KafkaTransactionManager<?, ?> kafkaTransactionManager(ProducerFactory<?, ?> producers, Ledger ledger,
				@Value("${synchronization}") String synchronization) {
			KafkaTransactionManager<?, ?> manager = new KafkaTransactionManager<>(producers);
			manager.setTransactionSynchronizationName(synchronization);
			manager.setTransactionExecutionListeners(List.of(ledger.commits()));
			return manager;
		}

	}

	/**
	 * Listeners that leave the work to a service, and such that do it themselves.
	 */
	static class Orders {

		private final Services services;

		private final Ledger ledger;

		Orders(Services services, Ledger ledger) {
			this.services = services;
			this.ledger = ledger;
		}

		@KafkaListener(topics = "${joining-service}")
		void joining(ConsumerRecord<String, String> message) {
			this.services.joining(message.key());
			this.ledger.failOnce(message.key(), Failure.IN_LISTENER);
		}

		@KafkaListener(topics = "${annotated-service}")
		void annotated(ConsumerRecord<String, String> message) {
			this.services.annotated(message.key());
			this.ledger.failOnce(message.key(), Failure.IN_LISTENER);
		}

		@KafkaListener(topics = "${joining-listener}")
		@Idempotent(key = "#message.key()", transactional = true)
		void joiningItself(ConsumerRecord<String, String> message) {
			this.ledger.write(message.key());
		}

		@KafkaListener(topics = "${annotated-listener}")
		@Idempotent(key = "#message.key()")
		@Transactional
		void annotatedItself(ConsumerRecord<String, String> message) {
			this.ledger.write(message.key());
		}

	}

}
