package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.EvictionListener;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.fixtures.NewThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class IdempotencyAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class));

	@ParameterizedTest
	@CsvSource({ "java.lang.String", "com.example.MisspeltException" })
	void failsIfNoExceptionHasTheNameInUnknownOn(String name) {
		this.runner.withPropertyValues("idempotency.unknown-on=" + name)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("idempotency.unknown-on names " + name));
	}

	@Test
	void takesTheExceptionsOfUnknownOnInsteadOfTheDefault() {
		this.runner.run((context) -> assertThat(unknownAfter(context, new TimeoutException())).isTrue());
		this.runner.withPropertyValues("idempotency.unknown-on=")
			.run((context) -> assertThat(unknownAfter(context, new TimeoutException())).isFalse());
		this.runner.withPropertyValues("idempotency.unknown-on[0]=java.io.IOException").run((context) -> {
			assertThat(unknownAfter(context, new TimeoutException())).isFalse();
			assertThat(unknownAfter(context, new IOException())).isTrue();
		});
	}

	private static boolean unknownAfter(ApplicationContext context, Exception failure) {
		return context.getBean(IdempotencyProperties.class).defaultPolicy().unknownOutcomes().isUnknownAfter(failure);
	}

	@Test
	void runsOnTheRequestedBootLine() {
		assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("boot.test.version"));
	}

	@Test
	void providesAnEngineOnAStoreInMemory() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(InMemoryIdempotencyStore.class);
			Execution execution = proceed(context);
			assertThat(execution.attempt()).isEqualTo(1);
			execution.complete(new byte[] { 1 });
			assertThat(begin(context)).isInstanceOf(Decision.Replay.class);
		});
	}

	@Test
	void backsOffWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(IdempotencyStore.class)
				.doesNotHaveBean(IdempotencyEngine.class)
				.doesNotHaveBean(IdempotencyProperties.class));
	}

	@Test
	void backsOffForTheApplicationsOwnStore(CapturedOutput output) {
		this.runner.withUserConfiguration(OwnStore.class).run((context) -> {
			assertThat(context).hasSingleBean(IdempotencyStore.class).hasBean("ownStore");
			assertThat(output).doesNotContain("in the memory of this process");
		});
	}

	@Test
	void warnsOnceWhatMemoryMeansOnMoreThanOneInstance(CapturedOutput output) {
		this.runner.run((context) -> {
			proceed(context).close();
			proceed(context).close();
			assertThat(output.toString()).containsOnlyOnce("on another instance, a retry runs again")
				.containsOnlyOnce("idempotency.store=memory");
		});
	}

	@Test
	void doesNotWarnWhoAskedForMemory(CapturedOutput output) {
		this.runner.withPropertyValues("idempotency.store=memory").run((context) -> {
			assertThat(context).hasSingleBean(InMemoryIdempotencyStore.class);
			assertThat(output).doesNotContain("in the memory of this process");
		});
	}

	@Test
	void takesTheNamespaceFromTheApplicationsName() {
		this.runner.withPropertyValues("spring.application.name=shop")
			.run((context) -> assertThat(proceed(context).key().scope().namespace()).isEqualTo("shop"));
		this.runner.withPropertyValues("spring.application.name=shop", "idempotency.namespace=shared")
			.run((context) -> assertThat(proceed(context).key().scope().namespace()).isEqualTo("shared"));
		this.runner.run((context) -> assertThat(proceed(context).key().scope().namespace()).isEqualTo("application"));
	}

	@Test
	void bindsEverySetting() {
		this.runner
			.withPropertyValues("idempotency.mode=observe", "idempotency.ttl=7d", "idempotency.lease=5s",
					"idempotency.wait-timeout=3s", "idempotency.on-store-failure=proceed", "idempotency.max-replays=4",
					"idempotency.memory.max-entries=1", "idempotency.memory.max-size=1MB")
			.run((context) -> {
				assertThat(context.getBean(OperationPolicy.class))
					.isEqualTo(OperationPolicy.of(Duration.ofDays(7), Duration.ofSeconds(5)).withMaxReplays(4));
				IdempotencyProperties properties = context.getBean(IdempotencyProperties.class);
				assertThat(properties.waitTimeout()).isEqualTo(Duration.ofSeconds(3));
				assertThat(properties.memory().limits()).isEqualTo(new MemoryLimits(1, 1 << 20));
				proceed(context);
				// Observed, not enforced
				proceed(context);
			});
	}

	@Test
	void proceedsWithoutAStoreWhereTheSettingsSaySo() {
		this.runner.withUserConfiguration(FailingStore.class)
			.run((context) -> assertThat(context.getBean(IdempotencyEngine.class)).isNotNull()
				.extracting((engine) -> failure(context))
				.isEqualTo("IdempotencyStoreException"));
		this.runner.withUserConfiguration(FailingStore.class)
			.withPropertyValues("idempotency.on-store-failure=proceed")
			.run((context) -> proceed(context).complete(new byte[0]));
	}

	private static String failure(ApplicationContext context) {
		try {
			begin(context);
			return "none";
		}
		catch (RuntimeException ex) {
			return ex.getClass().getSimpleName();
		}
	}

	@Test
	void callsEveryListener() {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("idempotency.memory.max-entries=1")
			.run((context) -> {
				proceed(context).complete(new byte[0]);
				proceed(context, "another").complete(new byte[0]);
				Listeners listeners = context.getBean(Listeners.class);
				assertThat(listeners.events).hasSize(4);
				assertThat(listeners.evicted).singleElement()
					.satisfies((key) -> assertThat(key.value()).isEqualTo("key"));
			});
	}

	@Test
	void stopsItsThreadWithTheApplicationAndNobodyElses() {
		NewThreads neighbours = new NewThreads("idempotency-lease-keeper");
		this.runner.run((neighbour) -> {
			proceed(neighbour).close();
			assertThat(neighbours.alive()).hasSize(1);
			NewThreads threads = new NewThreads("idempotency-lease-keeper");
			this.runner.run((context) -> {
				proceed(context).close();
				assertThat(threads.alive()).hasSize(1);
			});
			await().until(() -> threads.alive().isEmpty());
			assertThat(neighbours.alive()).hasSize(1);
		});
		await().until(() -> neighbours.alive().isEmpty());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "idempotency.lease=0s | idempotency.lease must be at least 1ms, but is PT0S",
					"idempotency.lease=-1s | idempotency.lease must be at least 1ms, but is PT-1S",
					"idempotency.ttl=0s | idempotency.ttl must be at least 1ms",
					"idempotency.ttl=5000d | idempotency.ttl must be at most 3650 days",
					"idempotency.lease=25h | idempotency.lease (PT25H) must not be longer than idempotency.ttl (PT24H)",
					"idempotency.wait-timeout=-1s | idempotency.wait-timeout must be between 0s and",
					"idempotency.max-replays=-1 | idempotency.max-replays must not be negative",
					"idempotency.memory.max-entries=0 | idempotency.memory.max-entries must be at least 1",
					"idempotency.memory.max-size=0 | idempotency.memory.max-size must be at least 1",
					"idempotency.namespace=${name} | namespace has 2049 characters",
					"idempotency.namespace= | idempotency.namespace must not be blank",
					"idempotency.store=cassandra | idempotency.store", "idempotency.mode=hope | idempotency.mode" })
	void refusesToStartWithAWrongSettingAndNamesIt(String property, String message) {
		this.runner.withPropertyValues(property, "name=" + "n".repeat(2049))
			.run((context) -> assertThat(context).getFailure()
				.satisfies((failure) -> assertThat(messages(failure)).contains(message)));
	}

	/**
	 * What is on the console, and what is in the log.
	 */
	private static String messages(Throwable failure) {
		FailureAnalysis analysis = new IdempotencyFailureAnalyzer().analyze(failure);
		StringBuilder messages = new StringBuilder((analysis != null) ? analysis.getDescription() + '\n' : "");
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			messages.append(cause.getMessage()).append('\n');
		}
		return messages.toString();
	}

	private static Decision begin(ApplicationContext context) {
		return begin(context, "key");
	}

	private static Decision begin(ApplicationContext context, String key) {
		return context.getBean(IdempotencyEngine.class)
			.begin(new Attempt(IdempotencyKey.of("pay", key), Fingerprint.none(),
					context.getBean(OperationPolicy.class)));
	}

	private static Execution proceed(ApplicationContext context) {
		return proceed(context, "key");
	}

	private static Execution proceed(ApplicationContext context, String key) {
		return ((Decision.Proceed) begin(context, key)).execution();
	}

	private static IdempotencyStore newStore() {
		return MemoryStores.with(new MonotonicClock());
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnStore {

		@Bean
		IdempotencyStore ownStore() {
			return newStore();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FailingStore {

		@Bean
		IdempotencyStore failingStore() {
			return new FaultInjectingStore(newStore(), (verb) -> Fault.BEFORE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		private final List<IdempotencyEvent> events = new ArrayList<>();

		private final List<IdempotencyKey> evicted = new ArrayList<>();

		@Bean
		IdempotencyListener listener() {
			return this.events::add;
		}

		@Bean
		EvictionListener evictionListener() {
			return this.evicted::add;
		}

	}

}
