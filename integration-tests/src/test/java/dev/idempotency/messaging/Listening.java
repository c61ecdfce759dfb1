package dev.idempotency.messaging;

import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyMethodAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyTransactionAutoConfiguration;
import dev.idempotency.servers.AmqpBroker;
import dev.idempotency.servers.KafkaBroker;
import jakarta.jms.ConnectionFactory;
import org.apache.activemq.ActiveMQConnectionFactory;

import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Applications with protected listeners, as Spring Boot would set them up.
 */
final class Listening {

	static final String NAMESPACE = "shop";

	private Listening() {
	}

	static ApplicationContextRunner onKafka(KafkaBroker broker, String group) {
		return protectedMethods().withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
			.withPropertyValues("spring.kafka.bootstrap-servers=" + broker.bootstrapServers(),
					"spring.kafka.consumer.group-id=" + group, "spring.kafka.consumer.auto-offset-reset=earliest");
	}

	static ApplicationContextRunner onAmqp(AmqpBroker broker) {
		return protectedMethods().withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
			.withPropertyValues("spring.rabbitmq.port=" + broker.port());
	}

	static ApplicationContextRunner onJms(String url) {
		return protectedMethods().withConfiguration(AutoConfigurations.of(JmsAutoConfiguration.class))
			.withBean(ConnectionFactory.class, () -> new ActiveMQConnectionFactory(url));
	}

	private static ApplicationContextRunner protectedMethods() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
					IdempotencyAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class,
					IdempotencyMethodAutoConfiguration.class))
			.withPropertyValues("spring.application.name=" + NAMESPACE);
	}

}
