package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.ResultPacking;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The props of the tests of this store.
 */
final class RedisScene {

	static final String PREFIX = "idempotency:";

	static final Names NAMES = new Names(PREFIX);

	static final Duration LEASE = Duration.ofMinutes(5);

	static final Duration TTL = Duration.ofHours(1);

	static final ClaimTerms TERMS = new ClaimTerms(LEASE, TTL, OnCrash.RETRY, OnReplay.READ);

	static final OperationPolicy POLICY = OperationPolicy.of(TTL, LEASE);

	static final Fingerprint FINGERPRINT = Fingerprint.sha256("this".getBytes(StandardCharsets.UTF_8));

	static final StoredResult RESULT = StoredResult.of("the result".getBytes(StandardCharsets.UTF_8));

	private RedisScene() {
	}

	static IdempotencyKey newKey() {
		return IdempotencyKey.of("test", UUID.randomUUID().toString());
	}

	/**
	 * The name of a record as it is typed: most of its bytes are no text.
	 */
	static String nameOf(IdempotencyKey key) {
		return HexFormat.of()
			.withPrefix("\\x")
			.formatHex(NAMES.record(key), PREFIX.length(), PREFIX.length() + 32)
			.transform((digest) -> "\"" + PREFIX + digest + "\"");
	}

	/**
	 * A key whose record belongs on one of the masters of a cluster.
	 */
	static IdempotencyKey keyOn(RedisServerProcess master, UnaryOperator<IdempotencyKey> qualified) {
		// A node that has not got a record says where it is
		return Stream.generate(RedisScene::newKey)
			.filter((key) -> master.send("EXISTS " + nameOf(qualified.apply(key))).startsWith(":"))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Whether a server knows that a key has come to an end, by the lowest of the flags.
	 */
	static boolean isCompleted(RedisServerProcess server, IdempotencyKey key) {
		return server.send("GETBIT %s %d".formatted(nameOf(key), 8 * PackedRecord.FLAGS + 7)).startsWith(":1");
	}

	static ClaimResult claim(IdempotencyStore store, IdempotencyKey key) {
		return store.claim(key, FINGERPRINT, TERMS);
	}

	static Claim granted(IdempotencyStore store, IdempotencyKey key) {
		ClaimResult result = claim(store, key);
		assertThat(result).isInstanceOf(ClaimResult.Granted.class);
		return ((ClaimResult.Granted) result).claim();
	}

	static IdempotencyEngine engine(IdempotencyStore store, OnStoreFailure onStoreFailure,
			IdempotencyListener... listeners) {
		return new IdempotencyEngine(store,
				new EngineSettings("shop", Mode.ENFORCE, onStoreFailure, ResultPacking.none()), new MonotonicClock(),
				List.of(listeners));
	}

	static Decision begin(IdempotencyEngine engine, IdempotencyKey key) {
		return engine.begin(new Attempt(key, FINGERPRINT, POLICY));
	}

	static Execution proceed(IdempotencyEngine engine, IdempotencyKey key) {
		Decision decision = begin(engine, key);
		assertThat(decision).isInstanceOf(Decision.Proceed.class);
		return ((Decision.Proceed) decision).execution();
	}

}
