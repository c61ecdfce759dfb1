package dev.idempotency.messaging;

import java.util.concurrent.CountDownLatch;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/**
 * An application that runs in a process of its own, and which may be killed between the
 * effect of a message and the commit of its offset. Profiles say how it is protected.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = { DataJpaRepositoriesAutoConfiguration.class, FlywayAutoConfiguration.class,
		HibernateJpaAutoConfiguration.class })
@Import({ ListenerApplication.Ledger.class, ListenerApplication.Unprotected.class, ListenerApplication.Protected.class,
		ListenerApplication.Transactional.class })
class ListenerApplication {

	public static void main(String[] args) {
		SpringApplication.run(ListenerApplication.class, args);
	}

	/**
	 * Stands around the listener and everything that is around it in turn: whoever is
	 * held here has returned, and not committed. A {@code RecordInterceptor} would come
	 * too late, when the offset is committed.
	 */
	@Bean
	ContainerCustomizer<Object, Object, ConcurrentMessageListenerContainer<Object, Object>> gate(
			@Value("${messaging.hold:}") String held) {
		MethodInterceptor gate = (invocation) -> {
			Object result = invocation.proceed();
			for (Object argument : invocation.getArguments()) {
				if (argument instanceof ConsumerRecord<?, ?> message) {
					System.out.printf("worked %s%n", message.key());
					if (held.equals(message.key())) {
						hold();
					}
				}
			}
			return result;
		};
		return (container) -> container.getContainerProperties().setAdviceChain(gate);
	}

	private static void hold() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Does the work of a message, and may be held when it is done.
	 */
	static class Ledger {

		private final JdbcTemplate jdbc;

		private final String held;

		Ledger(JdbcTemplate jdbc, @Value("${messaging.hold-inside:}") String held) {
			this.jdbc = jdbc;
			this.held = held;
		}

		void write(String key) {
			this.jdbc.update("insert into ledger (message_key) values (?)", key);
			if (this.held.equals(key)) {
				System.out.printf("wrote %s%n", key);
				hold();
			}
		}

	}

	@Profile("unprotected")
	static class Unprotected {

		private final Ledger ledger;

		Unprotected(Ledger ledger) {
			this.ledger = ledger;
		}

		@KafkaListener(topics = "${messaging.topic}")
		void pay(ConsumerRecord<String, String> message) {
			this.ledger.write(message.key());
		}

	}

	@Profile("protected")
	static class Protected {

		private final Ledger ledger;

		Protected(Ledger ledger) {
			this.ledger = ledger;
		}

		@KafkaListener(topics = "${messaging.topic}")
		@Idempotent(key = "join(#message.topic(), #message.partition(), #message.offset())",
				onConflict = OnConflict.WAIT)
		void pay(ConsumerRecord<String, String> message) {
			this.ledger.write(message.key());
		}

	}

	@Profile("transactional")
	static class Transactional {

		private final Ledger ledger;

		Transactional(Ledger ledger) {
			this.ledger = ledger;
		}

		@KafkaListener(topics = "${messaging.topic}")
		@Idempotent(key = "#message.key()", onConflict = OnConflict.WAIT, transactional = true)
		void pay(ConsumerRecord<String, String> message) {
			System.out.printf("attempt %d of %s%n", IdempotencyContext.current().attempt(), message.key());
			this.ledger.write(message.key());
		}

	}

}
