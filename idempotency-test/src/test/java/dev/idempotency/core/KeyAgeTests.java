package dev.idempotency.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Reason;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.MapStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.InspectableStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Attempts with keys whose age is known. The store has a clock of its own.
 */
class KeyAgeTests extends EngineFixture {

	private static final Duration OLD = TTL.plusMinutes(1);

	private static final Duration YOUNG = TTL.minusMinutes(1);

	private boolean expires;

	KeyAgeTests() {
		this.engine = engine(this.memory, settings(Mode.ENFORCE));
	}

	private static EngineSettings settings(Mode mode) {
		return new EngineSettings("shop", mode, OnStoreFailure.PROCEED, ResultPacking.none());
	}

	@Test
	void aYoungKeyRuns() {
		proceed(sent(YOUNG)).complete(bytes("done"));
		assertThat(replayed(sent(YOUNG))).isEqualTo("done");
	}

	@Test
	void anOldKeyDoesNotRunAndLeavesNothing() {
		assertExpired(sent(OLD));
		assertExpired(sent(OLD));
		assertThat(this.engine.find(KEY)).isEmpty();
		assertThat(events(IdempotencyEvent.Decided.class)).extracting(IdempotencyEvent.Decided::answer)
			.containsOnly(Decision.Refused.keyExpired());
	}

	@Test
	void aKeyFromTheFutureDoesNotRun() {
		assertExpired(sent(Duration.ofMinutes(-2)));
		proceed(sent(Duration.ofSeconds(-30)));
	}

	@Test
	void extremesDoNotRun() {
		assertExpired(begin(Instant.EPOCH));
		assertExpired(begin(Instant.ofEpochMilli((1L << 48) - 1)));
		OperationPolicy longest = OperationPolicy.of(ClaimTerms.MAX_DURATION, LEASE);
		proceed(this.engine.begin(new Attempt(KEY, FINGERPRINT, longest, null, Instant.now(), null)));
	}

	@Test
	void anOldKeyIsReplayed() {
		proceed(sent(YOUNG)).complete(bytes("done"));
		assertThat(replayed(sent(OLD))).isEqualTo("done");
		assertThat(replayed(sent(Duration.ofMinutes(-2)))).isEqualTo("done");
	}

	@Test
	void theReplaysOfAnOldKeyCount() {
		OperationPolicy once = POLICY.withMaxReplays(1);
		proceed(sent(YOUNG, once)).complete(bytes("done"));
		assertThat(replayed(sent(OLD, once))).isEqualTo("done");
		assertThat(sent(OLD, once).reason()).isEqualTo(Reason.REPLAY_LIMIT);
	}

	@Test
	void anOldKeyInProgressIsAConflict() {
		proceed(sent(YOUNG));
		assertThat(sent(OLD).reason()).isEqualTo(Reason.IN_PROGRESS);
	}

	@Test
	void anOldKeyIsTakenOver() {
		proceed(sent(YOUNG)).letLeaseRunOut();
		this.clock.advance(LEASE);
		assertThat(proceed(sent(OLD)).attempt()).isEqualTo(2);
	}

	@Test
	void anOldKeyThatWasReleasedDoesNotRun() {
		proceed(sent(YOUNG)).close();
		assertExpired(sent(OLD));
	}

	/**
	 * A client whose clock is ahead could otherwise find its record gone too early.
	 */
	@Test
	void aRecordOutlivesTheTimeInWhichItsKeyMayRun() {
		proceed(sent(Duration.ofSeconds(-59))).complete(bytes("done"));
		this.clock.advance(TTL.plusSeconds(119));
		assertThat(replayed(sent(YOUNG))).isEqualTo("done");
	}

	/**
	 * The claim is granted, because the record expires after it was seen. Its release
	 * fails, too.
	 */
	@Test
	void aRecordThatExpiresMeanwhileDoesNotLetItRun() {
		OperationPolicy counted = POLICY.withMaxReplays(9);
		for (Mode mode : Mode.values()) {
			for (boolean released : new boolean[] { true, false }) {
				this.engine = engine(new ExpiringStore(released), settings(mode));
				proceed(sent(YOUNG, counted)).complete(bytes("done"));
				this.expires = true;
				int decided = events(IdempotencyEvent.Decided.class).size();
				sent(OLD, counted);
				this.expires = false;
				assertThat(events(IdempotencyEvent.Decided.class)).element(decided)
					.extracting(IdempotencyEvent.Decided::answer)
					.isEqualTo(Decision.Refused.keyExpired());
				assertThat(this.engine.find(KEY).isEmpty()).isEqualTo(released);
				this.engine.forget(KEY);
			}
		}
	}

	@Test
	void isOnlyObserved() {
		this.engine = engine(this.memory, settings(Mode.OBSERVE));
		proceed(sent(OLD));
		assertThat(this.engine.find(KEY)).isEmpty();
		assertThat(events(IdempotencyEvent.Decided.class)).singleElement().satisfies((decided) -> {
			assertThat(decided.answer()).isEqualTo(Decision.Refused.keyExpired());
			assertThat(decided.enforced()).isFalse();
		});
	}

	@Test
	void aPreviewTells() {
		assertThat(this.engine.preview(attempt(OLD, POLICY)).answer()).isEqualTo(Decision.Refused.keyExpired());
		assertThat(this.engine.preview(attempt(YOUNG, POLICY)).runs()).isTrue();
		proceed(sent(YOUNG)).complete(bytes("done"));
		assertThat(replayed(this.engine.preview(attempt(OLD, POLICY)).answer())).isEqualTo("done");
	}

	@Test
	void needsAStoreThatCanBeInspected() {
		this.engine.requireInspectable();
		assertThatExceptionOfType(IdempotencyConfigurationException.class)
			.isThrownBy(engine(new MapStore(this.clock), this.engine.settings())::requireInspectable)
			.withMessageContaining("idempotency.http.key-age");
	}

	private static void assertExpired(Decision decision) {
		assertThat(decision).isEqualTo(Decision.Refused.keyExpired());
	}

	private Decision sent(Duration ago) {
		return sent(ago, POLICY);
	}

	private Decision sent(Duration ago, OperationPolicy policy) {
		return this.engine.begin(attempt(ago, policy));
	}

	private Decision begin(Instant firstSent) {
		return this.engine.begin(new Attempt(KEY, FINGERPRINT, POLICY, null, firstSent, null));
	}

	private static Attempt attempt(Duration ago, OperationPolicy policy) {
		return new Attempt(KEY, FINGERPRINT, policy, null, Instant.now().minus(ago), null);
	}

	/**
	 * A store whose records expire between a look and a claim.
	 */
	private final class ExpiringStore extends ForwardingStore implements InspectableStore {

		private final boolean releases;

		private ExpiringStore(boolean releases) {
			super(KeyAgeTests.this.memory);
			this.releases = releases;
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			if (KeyAgeTests.this.expires) {
				KeyAgeTests.this.memory.forget(key);
			}
			return super.claim(key, fingerprint, terms);
		}

		@Override
		public boolean release(Claim claim) {
			if (!this.releases) {
				throw new IllegalStateException("The store cannot be reached");
			}
			return super.release(claim);
		}

		@Override
		public Optional<Inspection> find(IdempotencyKey key) {
			return KeyAgeTests.this.memory.find(key);
		}

		@Override
		public boolean forget(IdempotencyKey key) {
			return KeyAgeTests.this.memory.forget(key);
		}

		@Override
		public boolean forget(Claim claim) {
			return KeyAgeTests.this.memory.forget(claim);
		}

	}

}
