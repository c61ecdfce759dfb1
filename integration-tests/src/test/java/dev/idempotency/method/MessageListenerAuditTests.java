package dev.idempotency.method;

import com.rabbitmq.client.Channel;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.Acknowledgment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Start-up names listeners that may lose messages.
 */
@ExtendWith(OutputCaptureExtension.class)
class MessageListenerAuditTests {

	@Test
	void namesListenersThatDoNotWait(CapturedOutput output) {
		MethodRunner.plain().withBean(Hasty.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (String method : new String[] { "kafka", "twice", "kafkaHandler", "rabbit", "rabbitHandler", "jms" }) {
				assertThat(output).containsOnlyOnce("%s.%s(java.lang.String) does not wait for a concurrent attempt"
					.formatted(Hasty.class.getName(), method));
			}
			assertThat(output).contains("the lease (30 s)")
				.contains("Write onConflict = OnConflict.WAIT, with a wait-timeout longer than the lease")
				.doesNotContain("noListener");
		});
	}

	@Test
	void namesListenersThatAcknowledgeByThemselves(CapturedOutput output) {
		MethodRunner.plain().withBean(Patient.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("takes Acknowledgment: it does not run for a message that has run before")
				.contains("takes Channel: it does not run for a message that has run before")
				.doesNotContain("does not wait");
		});
	}

	@Test
	void aWaitThatTakesNoTimeIsNone(CapturedOutput output) {
		MethodRunner.plain()
			.withPropertyValues("idempotency.wait-timeout=0s")
			.withBean(Patient.class)
			.run((context) -> assertThat(output).contains("does not wait for a concurrent attempt"));
	}

	static class Hasty {

		@KafkaListener(topics = "orders")
		@Idempotent(key = "#id")
		void kafka(String id) {
		}

		@KafkaListener(topics = "orders")
		@KafkaListener(topics = "other-orders")
		@Idempotent(key = "#id")
		void twice(String id) {
		}

		@KafkaHandler
		@Idempotent(key = "#id")
		void kafkaHandler(String id) {
		}

		@RabbitListener(queues = "orders")
		@Idempotent(key = "#id")
		void rabbit(String id) {
		}

		@RabbitHandler
		@Idempotent(key = "#id")
		void rabbitHandler(String id) {
		}

		@JmsListener(destination = "orders")
		@Idempotent(key = "#id")
		void jms(String id) {
		}

		@Idempotent(key = "#id")
		void noListener(String id) {
		}

		@KafkaListener(topics = "orders")
		void unprotected(String id, Acknowledgment acknowledgment) {
		}

	}

	static class Patient {

		@KafkaListener(topics = "orders")
		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		void kafka(String id, Acknowledgment acknowledgment) {
		}

		@RabbitListener(queues = "orders")
		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		void rabbit(String id, Channel channel) {
		}

	}

}
