package dev.idempotency.autoconfigure;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.servers.FreePorts;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import dev.idempotency.fixtures.NewThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@ExtendWith(OutputCaptureExtension.class)
class IdempotencyRedisAutoConfigurationTests {

	@AutoClose
	private static final RedisServerProcess server = RedisServerProcess.start();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
				IdempotencyRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + server.port(), "spring.data.redis.timeout=10s",
				"spring.application.name=shop");

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void remembersInRedisWhereThereIsOne(String driver, CapturedOutput output) {
		this.runner.withPropertyValues("spring.data.redis.client-type=" + driver, "idempotency.redis.key-prefix=shop:")
			.run((context) -> {
				assertThat(context).hasSingleBean(RedisIdempotencyStore.class).hasSingleBean(IdempotencyStore.class);
				IdempotencyEngine engine = context.getBean(IdempotencyEngine.class);
				Attempt attempt = new Attempt(IdempotencyKey.of("pay", driver), Fingerprint.none(),
						context.getBean(OperationPolicy.class));
				((Decision.Proceed) engine.begin(attempt)).execution().complete(new byte[] { 1 });
				assertThat(engine.begin(attempt)).isInstanceOf(Decision.Replay.class);
				assertThat(server.send("KEYS shop:*")).contains("shop:");
				assertThat(output).doesNotContain("WARN");
			});
	}

	@Test
	void failsWithoutANameSinceOthersRememberThereToo() {
		this.runner.withPropertyValues("spring.application.name=")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("has no name");
					assertThat(ex.remedy()).asString()
						.contains("spring.application.name", "idempotency.namespace=application");
				}));
	}

	@Test
	void closesTheStoreWithTheContext() {
		NewThreads subscribers = new NewThreads("idempotency-redis-subscriber");
		this.runner.run((context) -> {
			RedisIdempotencyStore store = context.getBean(RedisIdempotencyStore.class);
			// On a busy machine, listening takes its time to begin
			Awaitility.await()
				.ignoreException(IllegalStateException.class)
				.untilAsserted(() -> store.subscribe(IdempotencyKey.of("pay", "key"), () -> {
				}).close());
			assertThat(subscribers.alive()).hasSize(1);
			context.close();
			assertThatIllegalStateException().isThrownBy(() -> store.subscribe(IdempotencyKey.of("pay", "key"), () -> {
			}));
			assertThat(subscribers.alive()).isEmpty();
		});
	}

	@Test
	void backsOffWithoutRedis() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
			.run((context) -> assertThat(context).hasSingleBean(InMemoryIdempotencyStore.class));
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(IdempotencyRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class))
			.run((context) -> assertThat(context).hasSingleBean(InMemoryIdempotencyStore.class));
	}

	@Test
	void failsWithoutAPrimaryAmongSeveral() {
		this.runner.withUserConfiguration(TwoServers.class)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("none is primary"));
		this.runner.withUserConfiguration(TwoServers.class)
			.withPropertyValues("idempotency.store=redis")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining("several"));
	}

	@Test
	void backsOffForTheApplicationsOwnStore() {
		this.runner.withUserConfiguration(OwnStore.class)
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyStore.class)
				.hasBean("ownStore")
				.doesNotHaveBean(RedisIdempotencyStore.class));
	}

	@Test
	void backsOffWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyStore.class)
				.doesNotHaveBean(StoreCandidate.class));
	}

	@Test
	void asksNothingOfRedisWhenMemoryWasChosen(CapturedOutput output) {
		this.runner.withPropertyValues("idempotency.store=memory", "spring.data.redis.port=" + FreePorts.next())
			.run((context) -> {
				assertThat(context).hasSingleBean(InMemoryIdempotencyStore.class);
				assertThat(output).doesNotContain("WARN");
			});
	}

	@Test
	void startsWithoutAServerAndUsesItOnceItIsThere(CapturedOutput output) {
		int port = FreePorts.next();
		this.runner.withPropertyValues("spring.data.redis.port=" + port).run((context) -> {
			assertThat(context).hasSingleBean(RedisIdempotencyStore.class);
			assertThat(output.toString()).containsOnlyOnce("cannot use Redis yet");
			try (RedisServerProcess late = RedisServerProcess.start(port)) {
				assertThat(late.port()).isEqualTo(port);
				assertThat(context.getBean(RedisIdempotencyStore.class).find(IdempotencyKey.of("pay", "key")))
					.isEmpty();
			}
		});
	}

	@Test
	void failsWhereTheServerForbidsScripts() {
		server.send("ACL SETUSER weak on >secret ~* &* +@all -@scripting");
		this.runner.withPropertyValues("spring.data.redis.username=weak", "spring.data.redis.password=secret")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining("NOPERM"));
	}

	@Test
	void warnsOfTheDefaultTimeoutOfLettuce(CapturedOutput output) {
		this.runner.withPropertyValues("spring.data.redis.timeout=")
			.run((context) -> assertThat(output.toString()).containsOnlyOnce("Set a shorter timeout of commands"));
	}

	@ParameterizedTest
	@CsvSource({ "idempotency.redis.key-prefix, ' '", "idempotency.redis.key-prefix, 'a b'",
			"idempotency.redis.key-prefix, '{shop}'", "idempotency.redis.wait-for-replicas, -1" })
	void saysWhatToWriteInsteadOfASettingThatCannotWork(String setting, String value) {
		this.runner.withPropertyValues(setting + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining(setting)
				.hasMessageContaining("Write"));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnStore {

		@Bean
		IdempotencyStore ownStore() {
			return MemoryStores.with(new MonotonicClock());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoServers {

		@Bean
		RedisConnectionFactory one() {
			return new LettuceConnectionFactory("localhost", server.port());
		}

		@Bean
		RedisConnectionFactory other() {
			return new LettuceConnectionFactory("localhost", server.port());
		}

	}

}
