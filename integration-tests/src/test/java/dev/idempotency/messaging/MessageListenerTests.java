package dev.idempotency.messaging;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.servers.AmqpBroker;
import dev.idempotency.servers.JmsBroker;
import dev.idempotency.servers.KafkaBroker;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jms.autoconfigure.DefaultJmsListenerContainerFactoryConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.support.converter.MessageType;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.converter.RecordMessageConverter;
import org.springframework.kafka.support.converter.StringJacksonJsonMessageConverter;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.SendTo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Listeners with keys from wherever their message has them. What is published twice has
 * one effect, what failed runs again, and what has no key does not run.
 */
class MessageListenerTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	/**
	 * Each listener gets one message twice, one that fails at first, one without a key,
	 * and one more.
	 */
	private static final List<@Nullable String> SENT = Arrays.asList("twice", "twice", "shaky", null, "last");

	@Test
	void onKafka() {
		KafkaBroker broker = KafkaBroker.shared();
		List<String> topics = List.of(broker.newTopic(1), broker.newTopic(1), broker.newTopic(1));
		Listening.onKafka(broker, topics.get(0))
			.withPropertyValues("by-record=" + topics.get(0), "by-header=" + topics.get(1),
					"by-payload=" + topics.get(2))
			.withUserConfiguration(OnKafka.class, KafkaOrders.class)
			.withBean(Work.class)
			.run((context) -> {
				List<ProducerRecord<String, String>> messages = new ArrayList<>();
				for (String topic : topics) {
					SENT.forEach((id) -> messages.add(kafkaMessage(topic, id)));
				}
				broker.send(messages);
				context.getBean(Work.class).expect("record", "header", "payload");
			});
	}

	private static ProducerRecord<String, String> kafkaMessage(String topic, @Nullable String id) {
		ProducerRecord<String, String> message = new ProducerRecord<>(topic, id,
				(id != null) ? "{\"id\":\"%s\"}".formatted(id) : "{}");
		if (id != null) {
			message.headers().add("orderId", id.getBytes(StandardCharsets.UTF_8));
		}
		return message;
	}

	@Test
	void onAmqp() {
		AmqpBroker broker = AmqpBroker.shared();
		List<String> queues = List.of(broker.newQueue(), broker.newQueue(), broker.newQueue());
		String replying = broker.newQueue();
		String replies = broker.newQueue();
		Listening.onAmqp(broker)
			.withPropertyValues("by-message=" + queues.get(0), "by-header=" + queues.get(1),
					"by-payload=" + queues.get(2), "replying=" + replying, "replies=" + replies)
			.withUserConfiguration(OnAmqp.class, AmqpOrders.class)
			.withBean(Work.class)
			.run((context) -> {
				RabbitTemplate template = context.getBean(RabbitTemplate.class);
				queues.forEach((queue) -> SENT.forEach((id) -> send(template, queue, id)));
				context.getBean(Work.class).expect("message", "header", "payload");
				send(template, replying, "1");
				send(template, replying, "1");
				assertThat(template.receiveAndConvert(replies, LIMIT.toMillis())).isEqualTo("reply no. 1");
				assertThat(template.receiveAndConvert(replies, LIMIT.toMillis())).as("what is replied is replied again")
					.isEqualTo("reply no. 1");
			});
	}

	private static void send(RabbitTemplate template, String queue, @Nullable String id) {
		template.convertAndSend(queue, new Order(id), (message) -> {
			if (id != null) {
				message.getMessageProperties().setMessageId(id);
				message.getMessageProperties().setHeader("orderId", id);
			}
			return message;
		});
	}

	@Test
	void onJms() {
		JmsBroker broker = JmsBroker.shared();
		List<String> queues = List.of(broker.newQueue(), broker.newQueue(), broker.newQueue());
		String byMessageId = broker.newQueue();
		Listening.onJms(broker.url() + "&jms.redeliveryPolicy.maximumRedeliveries=1")
			.withPropertyValues("by-property=" + queues.get(0), "by-header=" + queues.get(1),
					"by-payload=" + queues.get(2), "by-message-id=" + byMessageId)
			.withUserConfiguration(OnJms.class, JmsOrders.class)
			.withBean(Work.class)
			.run((context) -> {
				JmsTemplate template = context.getBean(JmsTemplate.class);
				queues.forEach((queue) -> SENT.forEach((id) -> send(template, queue, id)));
				Work work = context.getBean(Work.class);
				work.expect("property", "header", "payload");
				SENT.forEach((id) -> send(template, byMessageId, id));
				Awaitility.await().atMost(LIMIT).until(() -> work.runs("message id").contains("last"));
				assertThat(work.runs("message id")).as("each sending has an id of its own")
					.containsExactly("twice", "twice", "shaky", "shaky", "nameless", "last");
			});
	}

	private static void send(JmsTemplate template, String queue, @Nullable String id) {
		template.convertAndSend(queue, new Order(id), (message) -> {
			if (id != null) {
				message.setStringProperty("orderId", id);
			}
			return message;
		});
	}

	record Order(@Nullable String id) {
	}

	/**
	 * What listeners did, and what was refused to them.
	 */
	static class Work {

		private final Queue<Run> runs = new ConcurrentLinkedQueue<>();

		private final Set<String> refused = ConcurrentHashMap.newKeySet();

		void run(String listener, @Nullable String id) {
			Run run = new Run(listener, Objects.requireNonNullElse(id, "nameless"));
			boolean again = this.runs.contains(run);
			this.runs.add(run);
			if (run.id.equals("shaky") && !again) {
				throw new IllegalStateException("The first delivery fails");
			}
		}

		boolean isRefused(@Nullable Throwable failure) {
			for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
				if (cause instanceof IdempotencyKeyMissingException missing) {
					this.refused.add(Objects.requireNonNull(missing.getMessage()));
					return true;
				}
			}
			return false;
		}

		List<String> runs(String listener) {
			return this.runs.stream().filter((run) -> run.listener.equals(listener)).map(Run::id).toList();
		}

		private void expect(String... listeners) {
			for (String listener : listeners) {
				Awaitility.await().atMost(LIMIT).until(() -> runs(listener).size() >= 4);
			}
			Awaitility.await().atMost(LIMIT).until(() -> this.refused.size() >= listeners.length);
			for (String listener : listeners) {
				// Some brokers put what failed behind what they have sent already
				assertThat(runs(listener)).as(listener).containsExactlyInAnyOrder("twice", "shaky", "shaky", "last");
			}
		}

		private record Run(String listener, String id) {
		}

	}

	abstract static class Listeners {

		@Autowired
		Work work;

	}

	@Configuration(proxyBeanMethods = false)
	static class OnKafka {

		@Bean
		RecordMessageConverter json() {
			return new StringJacksonJsonMessageConverter();
		}

		@Bean
		DefaultErrorHandler errors(Work work) {
			DefaultErrorHandler errors = new DefaultErrorHandler((message, failure) -> work.isRefused(failure));
			errors.addNotRetryableExceptions(IdempotencyKeyMissingException.class);
			return errors;
		}

	}

	static class KafkaOrders extends Listeners {

		@KafkaListener(topics = "${by-record}")
		@Idempotent(key = "#record.key()", onConflict = OnConflict.WAIT)
		void byRecord(ConsumerRecord<String, String> record) {
			this.work.run("record", record.key());
		}

		@KafkaListener(topics = "${by-header}")
		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		void byHeader(Order order, @Header(name = "orderId", required = false) @Nullable String id) {
			this.work.run("header", order.id());
		}

		@KafkaListener(topics = "${by-payload}")
		@Idempotent(key = "#order.id", onConflict = OnConflict.WAIT)
		void byPayload(Order order) {
			this.work.run("payload", order.id());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OnAmqp {

		@Bean
		org.springframework.amqp.support.converter.JacksonJsonMessageConverter json() {
			return new org.springframework.amqp.support.converter.JacksonJsonMessageConverter(
					"dev.idempotency.messaging");
		}

		/**
		 * What has no key would be put back into the queue, again and again.
		 */
		@Bean
		ContainerCustomizer<SimpleMessageListenerContainer> errors(Work work) {
			return (container) -> container.setErrorHandler((failure) -> {
				if (work.isRefused(failure)) {
					throw new AmqpRejectAndDontRequeueException(failure);
				}
			});
		}

	}

	static class AmqpOrders extends Listeners {

		@RabbitListener(queues = "${by-message}")
		@Idempotent(key = "#message.messageProperties.messageId", onConflict = OnConflict.WAIT)
		void byMessage(org.springframework.amqp.core.Message message) {
			this.work.run("message", message.getMessageProperties().getMessageId());
		}

		@RabbitListener(queues = "${by-header}")
		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		void byHeader(Order order, @Header(name = "orderId", required = false) @Nullable String id) {
			this.work.run("header", order.id());
		}

		@RabbitListener(queues = "${by-payload}")
		@Idempotent(key = "#order.id", onConflict = OnConflict.WAIT)
		void byPayload(Order order) {
			this.work.run("payload", order.id());
		}

		@RabbitListener(queues = "${replying}")
		@SendTo("${replies}")
		@Idempotent(key = "#order.id", onConflict = OnConflict.WAIT)
		String reply(Order order) {
			this.work.run("reply", order.id());
			return "reply no. %d".formatted(this.work.runs("reply").size());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OnJms {

		@Bean
		org.springframework.jms.support.converter.JacksonJsonMessageConverter json() {
			var json = new org.springframework.jms.support.converter.JacksonJsonMessageConverter();
			json.setTargetType(MessageType.TEXT);
			json.setTypeIdPropertyName("type");
			return json;
		}

		@Bean
		DefaultJmsListenerContainerFactory jmsListenerContainerFactory(
				DefaultJmsListenerContainerFactoryConfigurer configurer, ConnectionFactory connections, Work work) {
			DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
			configurer.configure(factory, connections);
			factory.setErrorHandler(work::isRefused);
			return factory;
		}

	}

	static class JmsOrders extends Listeners {

		@JmsListener(destination = "${by-property}")
		@Idempotent(key = "#message.getStringProperty('orderId')", onConflict = OnConflict.WAIT)
		void byProperty(Message message) throws JMSException {
			this.work.run("property", message.getStringProperty("orderId"));
		}

		@JmsListener(destination = "${by-header}")
		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		void byHeader(Order order, @Header(name = "orderId", required = false) @Nullable String id) {
			this.work.run("header", order.id());
		}

		@JmsListener(destination = "${by-payload}")
		@Idempotent(key = "#order.id", onConflict = OnConflict.WAIT)
		void byPayload(Order order) {
			this.work.run("payload", order.id());
		}

		@JmsListener(destination = "${by-message-id}")
		@Idempotent(key = "#message.JMSMessageID", onConflict = OnConflict.WAIT)
		void byMessageId(Message message, Order order) {
			this.work.run("message id", order.id());
		}

	}

}
