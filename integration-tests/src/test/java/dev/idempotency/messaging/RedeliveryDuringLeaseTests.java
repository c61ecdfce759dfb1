package dev.idempotency.messaging;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.servers.AmqpBroker;
import dev.idempotency.servers.JmsBroker;
import dev.idempotency.servers.KafkaBroker;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A message that comes again while the lease of the consumer that vanished with it still
 * holds: who waits, runs it; who is refused, depends on how long its container tries.
 */
@Tag("slow")
@Tag("once")
class RedeliveryDuringLeaseTests {

	private static final Duration SHORT = Duration.ofSeconds(2);

	private static final Duration NEVER_ENDING = Duration.ofHours(1);

	private final InMemoryIdempotencyStore store = MemoryStores.with(Clock.systemUTC());

	private final KafkaBroker kafka = KafkaBroker.shared();

	private final String topic = this.kafka.newTopic(1);

	@Test
	void withoutAWaitKafkaSkipsTheMessage() {
		assertThat(runsOnKafka(Hasty.class, NEVER_ENDING, onKafka())).containsExactly("next: attempt 1");
	}

	@Test
	void aWaitThatIsLongerThanTheLeaseRunsIt() {
		assertThat(runsOnKafka(Patient.class, SHORT, onKafka().withPropertyValues("idempotency.wait-timeout=1m")))
			.containsExactly("crashed: attempt 2", "next: attempt 1");
	}

	@Test
	void shorterWaitsAddUp() {
		// The container tries ten times
		assertThat(runsOnKafka(Patient.class, SHORT, onKafka().withPropertyValues("idempotency.wait-timeout=400ms")))
			.containsExactly("crashed: attempt 2", "next: attempt 1");
	}

	@Test
	void aContainerThatKeepsTryingRunsItWithoutAWait() {
		DefaultErrorHandler errors = new DefaultErrorHandler();
		errors.setBackOffFunction((message, failure) -> (failure.getCause() instanceof OperationInProgressException)
				? new FixedBackOff(100, FixedBackOff.UNLIMITED_ATTEMPTS) : null);
		assertThat(runsOnKafka(Hasty.class, SHORT, onKafka().withBean(DefaultErrorHandler.class, () -> errors)))
			.containsExactly("crashed: attempt 2", "next: attempt 1");
	}

	@Test
	void withoutAWaitAmqpPutsItBackUntilItRuns() {
		AmqpBroker broker = AmqpBroker.shared();
		String queue = broker.newQueue();
		Listening.onAmqp(broker)
			.withPropertyValues("queue=" + queue)
			.withBean(InMemoryIdempotencyStore.class, () -> this.store)
			.withBean(Runs.class)
			.withBean(OnAmqp.class)
			.run((context) -> {
				// Until then it comes as fast as it can
				crash(OnAmqp.class, String.class, Duration.ofMillis(500));
				context.getBean(RabbitTemplate.class).convertAndSend(queue, "crashed");
				assertThat(context.getBean(Runs.class).until("crashed")).containsExactly("crashed: attempt 2");
			});
	}

	@Test
	void withoutAWaitJmsSortsItOut() {
		JmsBroker broker = JmsBroker.shared();
		String queue = broker.newQueue();
		Listening.onJms(broker.url() + "&jms.redeliveryPolicy.redeliveryDelay=1")
			.withPropertyValues("queue=" + queue, "spring.jms.template.receive-timeout=1m")
			.withBean(InMemoryIdempotencyStore.class, () -> this.store)
			.withBean(Runs.class)
			.withBean(OnJms.class)
			.run((context) -> {
				crash(OnJms.class, String.class, NEVER_ENDING);
				String id = UUID.randomUUID().toString();
				JmsTemplate template = context.getBean(JmsTemplate.class);
				template.convertAndSend(queue, "crashed", (message) -> {
					message.setStringProperty("testId", id);
					return message;
				});
				template.convertAndSend(queue, "next");
				assertThat(context.getBean(Runs.class).until("next")).containsExactly("next: attempt 1");
				assertThat(template.receiveSelectedAndConvert("ActiveMQ.DLQ", "testId = '%s'".formatted(id)))
					.isEqualTo("crashed");
			});
	}

	private ApplicationContextRunner onKafka() {
		return Listening.onKafka(this.kafka, this.topic);
	}

	private List<String> runsOnKafka(Class<?> listener, Duration lease, ApplicationContextRunner runner) {
		Runs runs = new Runs();
		runner.withPropertyValues("topic=" + this.topic)
			.withBean(InMemoryIdempotencyStore.class, () -> this.store)
			.withBean(Runs.class, () -> runs)
			.withBean(listener)
			.run((context) -> {
				crash(listener, ConsumerRecord.class, lease);
				this.kafka.send(this.topic, "crashed", "next");
				runs.until("next");
			});
		return List.copyOf(runs.all);
	}

	/**
	 * Someone begins with a message, and is never heard of again.
	 */
	private void crash(Class<?> listener, Class<?> parameter, Duration lease) {
		IdempotencyKey key = IdempotencyKey.of("%s.on(%s)".formatted(listener.getName(), parameter.getName()),
				"crashed");
		ClaimResult claimed = this.store.claim(key.within(Listening.NAMESPACE), Fingerprint.none(),
				new ClaimTerms(lease, Duration.ofHours(24), OnCrash.RETRY, OnReplay.READ));
		assertThat(claimed).isInstanceOf(ClaimResult.Granted.class);
	}

	static class Runs {

		private final Queue<String> all = new ConcurrentLinkedQueue<>();

		void add(String key) {
			this.all.add("%s: attempt %d".formatted(key, IdempotencyContext.current().attempt()));
		}

		List<String> until(String key) {
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> this.all.stream().anyMatch((run) -> run.startsWith(key)));
			return List.copyOf(this.all);
		}

	}

	abstract static class Listener {

		@Autowired
		Runs runs;

	}

	static class Hasty extends Listener {

		@KafkaListener(topics = "${topic}")
		@Idempotent(key = "#message.key()")
		void on(ConsumerRecord<String, String> message) {
			this.runs.add(message.key());
		}

	}

	static class Patient extends Listener {

		@KafkaListener(topics = "${topic}")
		@Idempotent(key = "#message.key()", onConflict = OnConflict.WAIT)
		void on(ConsumerRecord<String, String> message) {
			this.runs.add(message.key());
		}

	}

	static class OnAmqp extends Listener {

		@RabbitListener(queues = "${queue}")
		@Idempotent(key = "#text")
		void on(String text) {
			this.runs.add(text);
		}

	}

	static class OnJms extends Listener {

		@JmsListener(destination = "${queue}")
		@Idempotent(key = "#text")
		void on(String text) {
			this.runs.add(text);
		}

	}

}
