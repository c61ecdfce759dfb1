package dev.idempotency.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.MovableClock;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.idempotency.fixtures.CapturedOutput;
import dev.idempotency.fixtures.OutputCapture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@ExtendWith(OutputCapture.class)
class InMemoryIdempotencyStoreLimitsTests {

	private static final Duration TTL = Duration.ofHours(24);

	private static final ClaimTerms TERMS = new ClaimTerms(Duration.ofSeconds(30), TTL, OnCrash.RETRY, OnReplay.READ);

	private static final ClaimTerms EXTENDING = new ClaimTerms(Duration.ofSeconds(30), TTL, OnCrash.RETRY,
			OnReplay.EXTEND);

	private static final ClaimTerms EXTENDING_FOR_LONG = new ClaimTerms(Duration.ofSeconds(30), ClaimTerms.MAX_DURATION,
			OnCrash.RETRY, OnReplay.EXTEND);

	private static final StoredResult RESULT = StoredResult.of(new byte[100]);

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private final List<IdempotencyKey> evicted = new CopyOnWriteArrayList<>();

	@Test
	void neverEvictsAKeyInProgress() {
		InMemoryIdempotencyStore store = store(10, 1 << 20);
		List<Claim> running = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			running.add(claim(store, "running " + i));
		}
		for (int i = 0; i < 10_000; i++) {
			complete(store, "done " + i);
		}
		assertThat(running)
			.allSatisfy((claim) -> assertThat(store.claim(claim.key(), Fingerprint.none(), TERMS)).as("in progress")
				.isInstanceOf(ClaimResult.Refused.class));
		assertThat(running).allSatisfy((claim) -> assertThat(store.complete(claim, RESULT, TTL)).isTrue());
	}

	@Test
	void holdsAsManyResultsAsItIsAllowed() {
		InMemoryIdempotencyStore store = store(1000, 64 << 20);
		for (int i = 0; i < 1000; i++) {
			complete(store, "key " + i);
		}
		assertThat(this.evicted).isEmpty();
		complete(store, "one too many");
		assertThat(this.evicted).hasSize(1);
	}

	@Test
	void evictsTheResultsNearestToTheirEndAndKeepsTheNewest() {
		InMemoryIdempotencyStore store = store(1000, 64 << 20);
		for (int i = 0; i < 3000; i++) {
			complete(store, "key " + i);
			// Well read, and old nevertheless
			store.find(key("key " + i % 1000));
			this.clock.advance(Duration.ofSeconds(10));
		}
		assertThat(this.evicted).hasSize(2000);
		for (int i = 2500; i < 3000; i++) {
			assertThat(store.find(key("key " + i))).as("key %d", i).isPresent();
		}
	}

	@Test
	void evictsWhatWasExtendedAfterWhatWasNot() {
		InMemoryIdempotencyStore store = store(1000, 64 << 20);
		for (int i = 0; i < 1000; i++) {
			complete(store, "key " + i);
		}
		this.clock.advance(Duration.ofHours(12));
		for (int i = 0; i < 500; i++) {
			store.claim(key("key " + i), Fingerprint.none(), EXTENDING);
		}
		for (int i = 0; i < 500; i++) {
			complete(store, "new key " + i);
		}
		assertThat(this.evicted).hasSize(500);
		for (int i = 0; i < 500; i++) {
			assertThat(store.find(key("key " + i))).as("key %d", i).isPresent();
		}
	}

	@Test
	void evictsWhatEndsSoonerAlsoWhenItCameAfterOthersWereToGo() {
		InMemoryIdempotencyStore store = store(1000, 64 << 20);
		for (int i = 0; i < 1010; i++) {
			complete(store, "key " + i);
		}
		assertThat(this.evicted).hasSize(10);
		ClaimTerms shortly = new ClaimTerms(TERMS.lease(), Duration.ofHours(1), OnCrash.RETRY, OnReplay.READ);
		ClaimResult claimed = store.claim(key("short"), Fingerprint.none(), shortly);
		store.complete(((ClaimResult.Granted) claimed).claim(), RESULT, TERMS.lease());
		assertThat(this.evicted).last().isEqualTo(key("short"));
		complete(store, "long");
		assertThat(store.find(key("long"))).isPresent();
		assertThat(this.evicted).hasSize(12);
	}

	@Test
	void countsAResultOnceHoweverOftenItIsExtended() {
		InMemoryIdempotencyStore store = store(10, 1 << 20);
		for (int i = 0; i < 10; i++) {
			complete(store, "key " + i);
			for (int j = 0; j < 5; j++) {
				this.clock.advance(Duration.ofHours(1));
				store.claim(key("key " + i), Fingerprint.none(), EXTENDING_FOR_LONG);
			}
		}
		assertThat(this.evicted).isEmpty();
		complete(store, "one too many");
		assertThat(this.evicted).hasSize(1);
	}

	@Test
	void holdsNoMoreBytesThanItIsAllowed() {
		int size = 10_000 + MemoryRecord.OVERHEAD;
		InMemoryIdempotencyStore store = store(1_000_000, 50L * size);
		for (int i = 0; i < 100; i++) {
			assertThat(store.complete(claim(store, "key " + i), StoredResult.of(new byte[9_900]), TTL)).isTrue();
		}
		assertThat(this.evicted).hasSizeBetween(50, 51);
	}

	@Test
	void refusesAResultLargerThanTheWholeStoreAndKeepsTheClaim() {
		InMemoryIdempotencyStore store = store(10, 10_000);
		Claim claim = claim(store, "key");
		assertThatExceptionOfType(ResultTooLargeException.class)
			.isThrownBy(() -> store.complete(claim, StoredResult.of(new byte[10_000]), TTL))
			.withMessageContaining("max-size");
		assertThat(store.complete(claim, StoredResult.tombstone(), TTL)).isTrue();
	}

	@Test
	void makesRoomWithWhatIsOverBeforeItEvictsAnything() {
		InMemoryIdempotencyStore store = store(100, 1 << 20);
		for (int round = 0; round < 10; round++) {
			for (int i = 0; i < 100; i++) {
				complete(store, "key " + round + " " + i);
			}
			this.clock.advance(TTL.plusMinutes(1));
		}
		assertThat(this.evicted).isEmpty();
	}

	@Test
	void tellsOfEachEvictionAndLogsOnce(CapturedOutput output) {
		InMemoryIdempotencyStore store = store(10, 1 << 20);
		for (int i = 0; i < 30; i++) {
			complete(store, "secret key " + i);
		}
		assertThat(this.evicted).hasSize(20).doesNotHaveDuplicates();
		assertThat(output).containsOnlyOnce("its max-entries (now 10)");
		assertThat(output).doesNotContain("secret key");
	}

	@Test
	void goesOnWhenTheEvictionListenerFails() {
		InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(new MemoryLimits(1, 1 << 20), this.clock,
				(key) -> {
					throw new IllegalStateException("the listener's own");
				});
		complete(store, "one");
		complete(store, "two");
		assertThat(store.find(key("two"))).isPresent();
	}

	@Test
	void staysWithinItsLimitsWhenManyThreadsFillIt() {
		InMemoryIdempotencyStore store = store(500, 64 << 20);
		Race.run(8, () -> {
			for (int i = 0; i < 2000; i++) {
				complete(store, Thread.currentThread().getName() + " " + i);
			}
			return true;
		});
		long held = 0;
		for (int thread = 0; thread < 8; thread++) {
			for (int i = 0; i < 2000; i++) {
				held += store.find(key("race-" + thread + " " + i)).isPresent() ? 1 : 0;
			}
		}
		assertThat(held).isEqualTo(500);
		assertThat(this.evicted).hasSize(15_500);
	}

	@Test
	void rejectsLimitsThatHoldNothing() {
		assertThatIllegalArgumentException().isThrownBy(() -> new MemoryLimits(0, 1))
			.withMessageContaining("max-entries");
		assertThatIllegalArgumentException().isThrownBy(() -> new MemoryLimits(1, -1))
			.withMessageContaining("max-size");
	}

	private InMemoryIdempotencyStore store(long maxEntries, long maxBytes) {
		return new InMemoryIdempotencyStore(new MemoryLimits(maxEntries, maxBytes), this.clock, this.evicted::add);
	}

	private static IdempotencyKey key(String value) {
		return IdempotencyKey.of("test", value);
	}

	private static Claim claim(InMemoryIdempotencyStore store, String value) {
		return ((ClaimResult.Granted) store.claim(key(value), Fingerprint.none(), TERMS)).claim();
	}

	private static void complete(InMemoryIdempotencyStore store, String value) {
		assertThat(store.complete(claim(store, value), RESULT, TTL)).isTrue();
	}

}
