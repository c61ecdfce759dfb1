package dev.idempotency.messaging;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.idempotency.Idempotent;
import dev.idempotency.messaging.TransactionalListeners.Failure;
import dev.idempotency.messaging.TransactionalListeners.Kind;
import dev.idempotency.messaging.TransactionalListeners.Ledger;
import dev.idempotency.messaging.TransactionalListeners.Services;
import dev.idempotency.servers.JmsBroker;
import jakarta.jms.ConnectionFactory;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.connection.JmsTransactionManager;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * Work in a database, inside of a transaction of JMS: the key goes with the work, and not
 * with the message, which comes again when the transaction of JMS is rolled back.
 */
@Tag("slow")
class JmsTransactionTests {

	private final JmsBroker broker = JmsBroker.shared();

	private final Map<Kind, String> queues = new EnumMap<>(Kind.class);

	private final JmsTemplate sender = new JmsTemplate(new ActiveMQConnectionFactory(this.broker.url()));

	JmsTransactionTests() {
		Arrays.stream(Kind.values()).forEach((kind) -> this.queues.put(kind, this.broker.newQueue()));
	}

	/**
	 * The manager of JMS takes no part in synchronizations, unless it is told to.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "SYNCHRONIZATION_NEVER", "SYNCHRONIZATION_ALWAYS" })
	void workIsDoneOnceWhateverBecomesOfTheMessage(String synchronization) {
		run(runner().withPropertyValues("synchronization=" + synchronization).withUserConfiguration(Managed.class),
				List.of(Failure.values()));
	}

	@Test
	void workIsDoneOnceWhateverBecomesOfTheSession() {
		run(runner().withUserConfiguration(Transacted.class), List.of(Failure.IN_WORK, Failure.IN_LISTENER));
	}

	private ApplicationContextRunner runner() {
		return Listening.onJms(this.broker.url())
			.withPropertyValues(Kind.properties(this.queues))
			.withBean(Orders.class);
	}

	private void run(ApplicationContextRunner runner, List<Failure> failures) {
		TransactionalListeners.withDatabase(runner)
			.run((context) -> TransactionalListeners.requireOneRowForEachMessage(context.getBean(Ledger.class),
					failures, (kind, message) -> this.sender
						.convertAndSend(Objects.requireNonNull(this.queues.get(kind)), message)));
	}

	/**
	 * A manager begins the transactions of the container.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Managed {

		@Bean
		JmsTransactionManager jmsTransactionManager(ConnectionFactory connections, Ledger ledger,
				@Value("${synchronization}") String synchronization) {
			JmsTransactionManager manager = new JmsTransactionManager(connections);
			manager.setTransactionSynchronizationName(synchronization);
			manager.setTransactionExecutionListeners(List.of(ledger.commits()));
			return manager;
		}

		@Bean
		DefaultJmsListenerContainerFactory jmsListenerContainerFactory(ConnectionFactory connections,
				JmsTransactionManager manager) {
			DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
			factory.setConnectionFactory(connections);
			factory.setTransactionManager(manager);
			factory.setSessionTransacted(true);
			return factory;
		}

	}

	/**
	 * The sessions of the container have transactions of their own, which Spring knows
	 * nothing of.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Transacted {

		@Bean
		DefaultJmsListenerContainerFactory jmsListenerContainerFactory(ConnectionFactory connections) {
			DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
			factory.setConnectionFactory(connections);
			factory.setSessionTransacted(true);
			return factory;
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

		@JmsListener(destination = "${joining-service}")
		void joining(String message) {
			this.services.joining(message);
			this.ledger.failOnce(message, Failure.IN_LISTENER);
		}

		@JmsListener(destination = "${annotated-service}")
		void annotated(String message) {
			this.services.annotated(message);
			this.ledger.failOnce(message, Failure.IN_LISTENER);
		}

		@JmsListener(destination = "${joining-listener}")
		@Idempotent(key = "#message", transactional = true)
		void joiningItself(String message) {
			this.ledger.write(message);
		}

		@JmsListener(destination = "${annotated-listener}")
		@Idempotent(key = "#message")
		@Transactional
		void annotatedItself(String message) {
			this.ledger.write(message);
		}

	}

}
