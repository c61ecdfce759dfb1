package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.function.Consumer;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.fixtures.CapturedOutput;
import dev.idempotency.fixtures.OutputCapture;
import dev.idempotency.servers.FreePorts;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.Claim;
import dev.idempotency.store.RecordFilter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.TTL;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * What start-up says about a server.
 */
@ExtendWith(OutputCapture.class)
class RedisServerCheckTests {

	private static final Duration LEASE = Duration.ofMinutes(5);

	// Its settings and users are changed
	@AutoClose
	private static final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose("destroy")
	private static final LettuceConnectionFactory connectionFactory = RedisServers
		.lettuce(RedisServers.standalone(server));

	@AfterEach
	void reset() {
		server.send("CONFIG SET maxmemory 0");
		server.send("CONFIG SET maxmemory-policy noeviction");
	}

	private static void check(LettuceConnectionFactory factory) {
		new RedisIdempotencyStore(factory, PREFIX, 0).checkServer(LEASE);
	}

	@Test
	void isSilentAboutAServerThatIsFit(CapturedOutput output) {
		check(connectionFactory);
		assertThat(output).doesNotContain("WARN");
		assertThat(server.send("EXISTS " + PREFIX + "check")).startsWith(":0");
	}

	@ParameterizedTest
	@ValueSource(strings = { "allkeys-lru", "volatile-ttl" })
	void warnsOnceOfAServerThatMayEvict(String policy, CapturedOutput output) {
		server.send("CONFIG SET maxmemory-policy " + policy);
		server.send("CONFIG SET maxmemory 100mb");
		check(connectionFactory);
		assertThat(output.toString()).containsOnlyOnce("maxmemory-policy is " + policy)
			.contains("Set maxmemory-policy to noeviction");
	}

	@ParameterizedTest
	@CsvSource({ "allkeys-lru, 0", "noeviction, 100mb" })
	void isSilentWhereNothingIsEvicted(String policy, String limit, CapturedOutput output) {
		server.send("CONFIG SET maxmemory-policy " + policy);
		server.send("CONFIG SET maxmemory " + limit);
		check(connectionFactory);
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void isSilentWhereItMayNotAsk(CapturedOutput output) {
		server.send("CONFIG SET maxmemory-policy allkeys-lru");
		server.send("CONFIG SET maxmemory 100mb");
		withUser("discreet", "+@all -info -config", RedisServerCheckTests::check);
		assertThat(output).doesNotContain("WARN");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-eval", "-evalsha", "-get", "-set", "-setrange", "-pexpireat", "-pttl", "-time" })
	void failsWhereTheServerForbidsWhatTheScriptsNeed(String right) {
		withUser("weak", "+@all " + right,
				(factory) -> assertThatExceptionOfType(IdempotencyConfigurationException.class)
					.isThrownBy(() -> check(factory))
					.satisfies((ex) -> assertThat(ex.remedy()).asString()
						.contains("~idempotency:*", "+evalsha")
						.doesNotContain("@")));
	}

	@Test
	void theRightsItAsksForAreEnough(CapturedOutput output) {
		String rights = "resetkeys resetchannels ~idempotency:* &idempotency:* -@all " + ServerCheck.COMMANDS;
		withUser("modest", rights, (factory) -> {
			RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 0);
			store.checkServer(LEASE);
			Claim claim = granted(store, newKey());
			store.subscribe(claim.key(), () -> {
			}).close();
			assertThat(store.complete(claim, RESULT, TTL)).isTrue();
			assertThat(store.search(RecordFilter.all("").withKey(claim.key().value()), 0, 10).records()).hasSize(1);
			assertThat(store.count("").counts()).isNotEmpty();
			store.close();
		});
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void worksWithoutTheRightToPublishAndSaysWhatIsLost(CapturedOutput output) {
		withUser("mute", "+@all -publish", (factory) -> {
			check(factory);
			RedisIdempotencyStore store = new RedisIdempotencyStore(factory, PREFIX, 0);
			assertThat(store.complete(granted(store, newKey()), RESULT, TTL)).isTrue();
		});
		assertThat(output.toString()).containsOnlyOnce("does not let the idempotency store publish");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void warnsOfAServerThatCannotBeReachedAndGoesOn(boolean withLettuce, CapturedOutput output) {
		RedisStandaloneConfiguration nowhere = new RedisStandaloneConfiguration("127.0.0.1", FreePorts.next());
		if (withLettuce) {
			LettuceConnectionFactory factory = RedisServers.lettuce(nowhere, RedisServers.COMMAND_TIMEOUT);
			assertThatNoException().isThrownBy(() -> check(factory));
			factory.destroy();
		}
		else {
			JedisConnectionFactory factory = RedisServers.jedis(nowhere);
			assertThatNoException().isThrownBy(() -> new RedisIdempotencyStore(factory, PREFIX, 0).checkServer(LEASE));
			factory.destroy();
		}
		assertThat(output.toString()).containsOnlyOnce("cannot use Redis yet");
	}

	@Test
	void warnsOfATimeoutThatOutlivesHalfOfTheLease(CapturedOutput output) {
		new RedisIdempotencyStore(connectionFactory, PREFIX, 0)
			.checkServer(RedisServers.LONG_TIMEOUT.multipliedBy(2).minusMillis(1));
		assertThat(output.toString()).containsOnlyOnce("Set a shorter timeout of commands");
	}

	private static void withUser(String name, String rights, Consumer<LettuceConnectionFactory> action) {
		server.send("ACL SETUSER %s reset on >secret ~* &* %s".formatted(name, rights));
		RedisStandaloneConfiguration configuration = RedisServers.standalone(server);
		configuration.setUsername(name);
		configuration.setPassword("secret");
		LettuceConnectionFactory factory = RedisServers.lettuce(configuration);
		try {
			action.accept(factory);
		}
		finally {
			factory.destroy();
			server.send("ACL DELUSER " + name);
		}
	}

}
