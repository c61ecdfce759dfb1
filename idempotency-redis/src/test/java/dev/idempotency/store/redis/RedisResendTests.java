package dev.idempotency.store.redis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.FINGERPRINT;
import static dev.idempotency.store.redis.RedisScene.LEASE;
import static dev.idempotency.store.redis.RedisScene.NAMES;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.TERMS;
import static dev.idempotency.store.redis.RedisScene.TTL;
import static dev.idempotency.store.redis.RedisScene.claim;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A driver that loses a connection sends again what has not been answered, though the
 * server may have done it.
 */
class RedisResendTests {

	private static final int CLAIMS_BETWEEN_KILLS = 100;

	// Its connections are killed
	@AutoClose
	private static final RedisServerProcess server = RedisServerProcess.start();

	@AutoClose("destroy")
	private static final LettuceConnectionFactory lettuce = RedisServers.lettuce(RedisServers.standalone(server));

	@AutoClose("destroy")
	private static final JedisConnectionFactory jedis = RedisServers.jedis(RedisServers.standalone(server));

	@AutoClose("destroy")
	private final LettuceConnectionFactory own = RedisServers.lettuce(RedisServers.standalone(server));

	private final RedisIdempotencyStore store = new RedisIdempotencyStore(this.own, PREFIX, 0);

	static Stream<RedisConnectionFactory> drivers() {
		return Stream.of(lettuce, jedis);
	}

	@Test
	void aClaimThatIsSentAgainIsGrantedAgainAsTheSameAttempt() {
		IdempotencyKey key = newKey();
		byte[][] arguments = RedisIdempotencyStore.claimArguments(NAMES.record(key),
				RedisIdempotencyStore.record(UUID.randomUUID(), key, FINGERPRINT, TERMS), TERMS, false);
		ScriptRunner scripts = new ScriptRunner(lettuce);
		for (int i = 0; i < 2; i++) {
			RecordReply reply = new RecordReply(ScriptValues.bytes(scripts.read(Script.CLAIM, arguments)));
			assertThat(reply.isGranted()).isTrue();
			assertThat(reply.attempt()).isEqualTo(1);
		}
		assertThat(claim(this.store, key)).isInstanceOf(ClaimResult.Refused.class);
	}

	@Test
	void aReplayThatIsSentAgainIsCountedOnce() {
		IdempotencyKey key = newKey();
		this.store.complete(granted(this.store, key), RESULT, TTL);
		ClaimTerms counting = new ClaimTerms(LEASE, TTL, OnCrash.RETRY, OnReplay.COUNT);
		ScriptRunner scripts = new ScriptRunner(lettuce);
		List<Long> counts = new ArrayList<>();
		for (int replay = 1; replay <= 3; replay++) {
			byte[][] arguments = RedisIdempotencyStore.claimArguments(NAMES.record(key),
					RedisIdempotencyStore.record(UUID.randomUUID(), key, FINGERPRINT, counting), counting, false);
			for (int i = 0; i < 2; i++) {
				RecordReply reply = new RecordReply(ScriptValues.bytes(scripts.read(Script.CLAIM, arguments)));
				IdempotencyRecord.Completed record = (IdempotencyRecord.Completed) reply.toRecord();
				assertThat(record.result()).isEqualTo(RESULT);
				counts.add(record.replays());
			}
		}
		assertThat(counts).containsExactly(1L, 1L, 2L, 2L, 3L, 3L);
	}

	@Test
	void aClaimWithoutAScriptThatIsSentAgainFindsItself() {
		IdempotencyKey key = newKey();
		UUID owner = UUID.randomUUID();
		byte[] record = RedisIdempotencyStore.record(owner, key, FINGERPRINT, TERMS);
		PlainClaims claims = new PlainClaims(lettuce);
		assertThat(claims.take(NAMES.record(key), record, TTL.toMillis())).isNull();
		assertThat(claims.take(NAMES.record(key), record, TTL.toMillis())).isEqualTo(record);
		assertThat(PackedRecord.read(record, 0).isOwnedBy(owner)).isTrue();
		assertThat(PackedRecord.read(record, 0).isOwnedBy(UUID.randomUUID())).isFalse();
	}

	@Test
	void aCompletionThatIsSentAgainIsAcceptedAgain() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		assertThat(this.store.complete(claim, RESULT, TTL)).isTrue();
		assertThat(this.store.complete(claim, RESULT, TTL)).isTrue();
		this.store.claim(key, FINGERPRINT, new ClaimTerms(LEASE, TTL, OnCrash.RETRY, OnReplay.COUNT));
		assertThat(this.store.complete(claim, RESULT, TTL)).as("also once a replay was counted").isTrue();
		assertThat(this.store.complete(claim, StoredResult.tombstone(), TTL)).isFalse();
		assertThat(this.store.complete(new Claim(key, UUID.randomUUID(), 1), RESULT, TTL)).isFalse();
	}

	@Test
	void lettuceIsGrantedTheClaimWhoseAnswerGotLost() throws IOException {
		try (AnswerLosingProxy proxy = new AnswerLosingProxy(server.port())) {
			LettuceConnectionFactory factory = RedisServers
				.lettuce(new RedisStandaloneConfiguration("127.0.0.1", proxy.port()));
			RedisIdempotencyStore lossy = new RedisIdempotencyStore(factory, PREFIX, 0);
			granted(lossy, newKey());
			IdempotencyKey key = newKey();
			proxy.loseNextAnswer();
			Claim claim = granted(lossy, key);
			assertThat(proxy.lost()).isEqualTo(1);
			assertThat(claim.attempt()).isEqualTo(1);
			lossy.complete(granted(lossy, newKey()), RESULT, TTL);
			proxy.loseNextAnswer();
			assertThat(lossy.complete(claim, RESULT, TTL)).isTrue();
			assertThat(proxy.lost()).isEqualTo(2);
			factory.destroy();
		}
	}

	@ParameterizedTest
	@MethodSource("drivers")
	void neverGrantsAKeyTwiceWhileConnectionsAreKilled(RedisConnectionFactory driver) throws InterruptedException {
		RedisIdempotencyStore attacked = new RedisIdempotencyStore(driver, PREFIX, 0);
		List<IdempotencyKey> keys = IntStream.range(0, LongRun.choose(200, 5000)).mapToObj((i) -> newKey()).toList();
		Map<IdempotencyKey, AtomicInteger> grants = new ConcurrentHashMap<>();
		Semaphore claimed = new Semaphore(0);
		AtomicBoolean over = new AtomicBoolean();
		Thread killer = new Thread(() -> {
			while (!over.get()) {
				// Not faster than drivers reconnect
				claimed.acquireUninterruptibly(CLAIMS_BETWEEN_KILLS);
				server.send("CLIENT KILL TYPE normal");
			}
		});
		killer.start();
		Race.run(8, () -> {
			for (IdempotencyKey key : keys) {
				try {
					if (claim(attacked, key) instanceof ClaimResult.Granted) {
						grants.computeIfAbsent(key, (k) -> new AtomicInteger()).incrementAndGet();
					}
				}
				catch (DataAccessException ex) {
					// Jedis does not send again
				}
				claimed.release();
			}
			return true;
		});
		over.set(true);
		claimed.release(CLAIMS_BETWEEN_KILLS);
		killer.join();
		assertThat(grants.values()).allSatisfy((count) -> assertThat(count).hasValue(1));
		assertThat(keys).allSatisfy((key) -> {
			ClaimResult result = claim(this.store, key);
			boolean first = result instanceof ClaimResult.Granted;
			assertThat(first && grants.containsKey(key)).isFalse();
			if (result instanceof ClaimResult.Refused refused) {
				assertThat(refused.record()).isInstanceOf(IdempotencyRecord.InProgress.class);
				assertThat(refused.record().attempt()).isEqualTo(1);
			}
		});
	}

}
