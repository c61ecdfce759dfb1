package dev.idempotency.messaging;

import java.util.concurrent.CountDownLatch;

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
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/**
 * An application that runs in a process of its own, and which may be killed between the
 * effect of a message and the commit of its offset.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = { DataJpaRepositoriesAutoConfiguration.class, FlywayAutoConfiguration.class,
		HibernateJpaAutoConfiguration.class })
@Import(ListenerApplication.Listener.class)
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
						new CountDownLatch(1).await();
					}
				}
			}
			return result;
		};
		return (container) -> container.getContainerProperties().setAdviceChain(gate);
	}

	static class Listener {

		private final JdbcTemplate jdbc;

		Listener(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@KafkaListener(topics = "${messaging.topic}")
		void pay(ConsumerRecord<String, String> message) {
			this.jdbc.update("insert into ledger (message_key) values (?)", message.key());
		}

	}

}
