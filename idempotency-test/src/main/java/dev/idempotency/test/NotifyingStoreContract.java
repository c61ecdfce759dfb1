package dev.idempotency.test;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.NotifyingStore.Subscription;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store that notifies waiting attempts when a key is completed,
 * released, abandoned or forgotten, on any instance.
 */
public interface NotifyingStoreContract extends StoreUnderTest {

	@Test
	default void wakesUpEveryWaiterOnCompletion() throws InterruptedException {
		wakesUpOn((instance, claim) -> instance.complete(claim, RESULT, TTL));
	}

	@Test
	default void wakesUpOnRelease() throws InterruptedException {
		wakesUpOn((instance, claim) -> instance.release(claim));
	}

	@Test
	default void wakesUpWhenAKeyIsAbandoned() throws InterruptedException {
		wakesUpOn((instance, claim) -> instance.abandon(claim));
	}

	@Test
	default void wakesUpOnTheReleaseOfATakeover() throws InterruptedException {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		wakesUpOn(otherInstance(), granted(store(), key), (instance, claim) -> instance.release(claim));
	}

	@Test
	default void wakesUpWhenAKeyIsForgotten() throws InterruptedException {
		if (store() instanceof InspectableStore) {
			wakesUpOn((instance, claim) -> ((InspectableStore) instance).forget(claim));
			wakesUpOn((instance, claim) -> ((InspectableStore) instance).forget(claim.key()));
		}
	}

	private void wakesUpOn(BiPredicate<IdempotencyStore, Claim> end) throws InterruptedException {
		for (IdempotencyStore instance : List.of(store(), otherInstance())) {
			wakesUpOn(instance, granted(store(), newKey()), end);
		}
	}

	private void wakesUpOn(IdempotencyStore instance, Claim claim, BiPredicate<IdempotencyStore, Claim> end)
			throws InterruptedException {
		CountDownLatch woken = new CountDownLatch(2);
		Subscription one = subscribe(this, claim.key(), woken::countDown);
		Subscription other = subscribe(this, claim.key(), woken::countDown);
		try (one; other) {
			assertThat(end.test(instance, claim)).isTrue();
			assertThat(woken.await(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		}
	}

	@Test
	default void wakesUpNobodyElse() throws InterruptedException {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		AtomicInteger wrong = new AtomicInteger();
		CountDownLatch woken = new CountDownLatch(1);
		Subscription ended = subscribe(this, key, wrong::incrementAndGet);
		ended.close();
		Subscription elsewhere = subscribe(this, newKey(), wrong::incrementAndGet);
		Subscription right = subscribe(this, key, woken::countDown);
		try (elsewhere; right) {
			store().complete(claim, RESULT, TTL);
			assertThat(woken.await(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
			assertThat(wrong).hasValue(0);
		}
	}

}
