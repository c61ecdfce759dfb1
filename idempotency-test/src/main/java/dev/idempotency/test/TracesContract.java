package dev.idempotency.test;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimTerms;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.OTHER_FINGERPRINT;
import static dev.idempotency.test.Scene.PAST_SHORT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.traced;
import static dev.idempotency.test.Scene.withoutTakeover;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract about the trace of a record, which is that of its latest attempt.
 */
interface TracesContract extends StoreUnderTest {

	@Test
	default void tellsThoseWhoComeTooEarlyInWhichTraceTheWorkGoesOn() {
		IdempotencyKey key = newKey();
		granted(store(), key, traced(LONG, TTL, "first"));
		assertThat(inProgress(store().claim(key, FINGERPRINT, traced(LONG, TTL, "second"))).trace()).isEqualTo("first");
		assertThat(inProgress(store().claim(key, OTHER_FINGERPRINT, traced(LONG, TTL, "third"))).trace())
			.isEqualTo("first");
	}

	@Test
	default void tellsThoseWhoComeLaterInWhichTraceTheWorkWasDone() {
		IdempotencyKey key = newKey();
		String trace = "f".repeat(ClaimTerms.MAX_TRACE);
		Claim claim = granted(store(), key, traced(LONG, TTL, trace));
		store().renew(claim, LONG);
		store().complete(claim, RESULT, TTL);
		assertThat(completed(store().claim(key, FINGERPRINT, traced(LONG, TTL, "second"))).trace()).isEqualTo(trace);
		assertThat(completed(store(), key).trace()).isEqualTo(trace);
	}

	@Test
	default void remembersNoTraceWhereThereWasNone() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		assertThat(inProgress(store(), key).trace()).isNull();
		store().complete(claim, RESULT, TTL);
		assertThat(completed(store(), key).trace()).isNull();
		IdempotencyKey other = newKey();
		granted(store(), other, traced(LONG, TTL, ""));
		assertThat(inProgress(store(), other).trace()).isNull();
	}

	@Test
	default void remembersTheTraceOfATakeoverInsteadOfTheFirst() {
		IdempotencyKey key = newKey();
		granted(store(), key, traced(SHORT, TTL, "first"));
		time().pass(PAST_SHORT);
		assertThat(inProgress(store().claim(key, FINGERPRINT, withoutTakeover())).trace()).isEqualTo("first");
		Claim second = granted(store(), key, traced(LONG, TTL, "second"));
		assertThat(inProgress(store(), key).trace()).isEqualTo("second");
		store().complete(second, RESULT, TTL);
		assertThat(completed(store(), key).trace()).isEqualTo("second");
	}

	@Test
	default void forgetsTheTraceWhenATakeoverHasNone() {
		IdempotencyKey key = newKey();
		granted(store(), key, traced(SHORT, TTL, "first"));
		time().pass(PAST_SHORT);
		granted(store(), key);
		assertThat(inProgress(store(), key).trace()).isNull();
	}

	@Test
	default void keepsTheTraceOfATakeoverThatWasGivenBack() {
		IdempotencyKey key = newKey();
		granted(store(), key, traced(SHORT, TTL, "first"));
		time().pass(PAST_SHORT);
		store().release(granted(store(), key, traced(LONG, TTL, "second")));
		assertThat(inProgress(store().claim(key, FINGERPRINT, withoutTakeover())).trace()).isEqualTo("second");
	}

	@Test
	default void startsAnewWithTheTraceOfWhoeverClaimsAKeyThatIsOver() {
		IdempotencyKey done = newKey();
		store().complete(granted(store(), done, traced(SHORT, SHORT, "first")), RESULT, SHORT);
		IdempotencyKey vanished = newKey();
		granted(store(), vanished, traced(SHORT, SHORT, "first"));
		time().pass(PAST_SHORT);
		granted(store(), done);
		assertThat(inProgress(store(), done).trace()).isNull();
		granted(store(), vanished, traced(LONG, TTL, "second"));
		assertThat(inProgress(store(), vanished).trace()).isEqualTo("second");
	}

}
