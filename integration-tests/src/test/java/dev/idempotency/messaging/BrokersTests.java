package dev.idempotency.messaging;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.idempotency.servers.AmqpBroker;
import dev.idempotency.servers.JmsBroker;
import dev.idempotency.servers.KafkaBroker;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.kafka.annotation.KafkaListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What listeners are protected from: a message whose listener failed comes again.
 */
@Tag("slow")
class BrokersTests {

	@Test
	void kafkaRedeliversAMessageWhoseListenerFailed() {
		KafkaBroker broker = KafkaBroker.shared();
		String topic = broker.newTopic(1);
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
			.withPropertyValues("spring.kafka.bootstrap-servers=" + broker.bootstrapServers(),
					"spring.kafka.consumer.group-id=" + topic, "spring.kafka.consumer.auto-offset-reset=earliest",
					"topic=" + topic)
			.withBean(OnKafka.class)
			.run((context) -> {
				broker.send(topic, "key");
				assertThat(twoDeliveries(context.getBean(OnKafka.class).deliveries)).containsExactly("text at 0",
						"text at 0");
			});
	}

	@Test
	void amqpRedeliversAMessageWhoseListenerFailed() {
		AmqpBroker broker = AmqpBroker.shared();
		String queue = broker.newQueue();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
			.withPropertyValues("spring.rabbitmq.port=" + broker.port(), "queue=" + queue)
			.withBean(OnAmqp.class)
			.run((context) -> {
				context.getBean(RabbitTemplate.class).convertAndSend(queue, "text");
				assertThat(twoDeliveries(context.getBean(OnAmqp.class).deliveries)).containsExactly("text",
						"text again");
			});
	}

	@Test
	void jmsRedeliversAMessageWhoseListenerFailed() {
		JmsBroker broker = JmsBroker.shared();
		String queue = broker.newQueue();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(JmsAutoConfiguration.class))
			.withPropertyValues("queue=" + queue)
			.withBean(ConnectionFactory.class, () -> new ActiveMQConnectionFactory(broker.url()))
			.withBean(OnJms.class)
			.run((context) -> {
				context.getBean(JmsTemplate.class).convertAndSend(queue, "text");
				assertThat(twoDeliveries(context.getBean(OnJms.class).deliveries)).containsExactly("text",
						"text again");
			});
	}

	private static List<String> twoDeliveries(Queue<String> deliveries) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> deliveries.size() >= 2);
		return List.copyOf(deliveries);
	}

	private static void failOnFirst(Queue<String> deliveries, String delivery) {
		deliveries.add(delivery);
		if (deliveries.size() == 1) {
			throw new IllegalStateException("The first delivery fails");
		}
	}

	static class OnKafka {

		private final Queue<String> deliveries = new ConcurrentLinkedQueue<>();

		@KafkaListener(topics = "${topic}")
		void on(ConsumerRecord<String, String> message) {
			failOnFirst(this.deliveries, "%s at %d".formatted(message.value(), message.offset()));
		}

	}

	static class OnAmqp {

		private final Queue<String> deliveries = new ConcurrentLinkedQueue<>();

		@RabbitListener(queues = "${queue}")
		void on(String text, Message message) {
			boolean again = Boolean.TRUE.equals(message.getMessageProperties().getRedelivered());
			failOnFirst(this.deliveries, again ? text + " again" : text);
		}

	}

	static class OnJms {

		private final Queue<String> deliveries = new ConcurrentLinkedQueue<>();

		@JmsListener(destination = "${queue}")
		void on(TextMessage message) throws JMSException {
			failOnFirst(this.deliveries,
					message.getJMSRedelivered() ? message.getText() + " again" : message.getText());
		}

	}

}
