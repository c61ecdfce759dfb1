package dev.idempotency.test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.NotifyingStore.Subscription;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store that notifies waiting attempts when a key is completed or
 * released.
 */
public interface NotifyingStoreContract extends StoreUnderTest {

	@Test
	default void wakesUpEveryWaiterOnCompletion() throws InterruptedException {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		CountDownLatch woken = new CountDownLatch(2);
		Subscription one = subscribe(this, key, woken::countDown);
		Subscription other = subscribe(this, key, woken::countDown);
		try (one; other) {
			store().complete(claim, RESULT, TTL);
			assertThat(woken.await(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		}
	}

	@Test
	default void wakesUpOnRelease() throws InterruptedException {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		CountDownLatch woken = new CountDownLatch(1);
		try (Subscription subscription = subscribe(this, key, woken::countDown)) {
			assertThat(subscription).isNotNull();
			store().release(claim);
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
