package dev.idempotency.core;

import java.time.Duration;
import java.util.Optional;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.StoredResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store as the engine sees it: whatever its driver throws has been logged, published
 * and turned into one exception.
 */
final class GuardedStore {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	private final IdempotencyStore store;

	private final Listeners listeners;

	GuardedStore(IdempotencyStore store, Listeners listeners) {
		this.store = store;
		this.listeners = listeners;
	}

	ClaimResult claim(Attempt attempt) {
		return ask(StoreVerb.CLAIM, attempt.key(),
				() -> this.store.claim(attempt.key(), attempt.fingerprint(), attempt.policy().terms()));
	}

	boolean renew(Claim claim, Duration lease) {
		return ask(StoreVerb.RENEW, claim.key(), () -> this.store.renew(claim, lease));
	}

	boolean complete(Claim claim, StoredResult result, Duration ttl) {
		return ask(StoreVerb.COMPLETE, claim.key(), () -> this.store.complete(claim, result, ttl));
	}

	boolean release(Claim claim) {
		return ask(StoreVerb.RELEASE, claim.key(), () -> this.store.release(claim));
	}

	/**
	 * Says what is remembered under a key.
	 * @throws UnsupportedOperationException if the store cannot be looked into
	 */
	Optional<Inspection> find(IdempotencyKey key) {
		if (this.store instanceof InspectableStore inspectable) {
			return ask(StoreVerb.FIND, key, () -> inspectable.find(key));
		}
		throw new UnsupportedOperationException(
				"%s cannot be looked into: it is no InspectableStore".formatted(this.store.getClass().getName()));
	}

	/**
	 * Wakes a waiter up when the key comes to an end, if the store can tell; otherwise
	 * the waiter has to look again and again.
	 */
	WakeUps wakeUps(IdempotencyKey key) {
		WakeUps wakeUps = new WakeUps();
		if (this.store instanceof NotifyingStore notifying) {
			try {
				wakeUps.comeFrom(notifying.subscribe(key, wakeUps::wakeUp));
			}
			catch (RuntimeException ex) {
				logger.debug("Cannot be told when {} comes to an end", key, ex);
			}
		}
		return wakeUps;
	}

	private <T> T ask(StoreVerb verb, IdempotencyKey key, Question<T> question) {
		try {
			return question.ask();
		}
		catch (IdempotencyException ex) {
			if (ex instanceof IdempotencyStoreException failure) {
				failed(verb, key, failure);
			}
			throw ex;
		}
		catch (RuntimeException ex) {
			failed(verb, key, ex);
			throw new IdempotencyStoreException("The idempotency store failed to %s %s".formatted(verb, key), ex);
		}
	}

	private void failed(StoreVerb verb, IdempotencyKey key, RuntimeException cause) {
		// One line each: a store that is down fails every request
		logger.warn("The idempotency store failed to {} {}: {}", verb, key, cause.toString());
		logger.debug("The failure in full", cause);
		this.listeners.publish(new IdempotencyEvent.StoreFailed(key, verb, cause));
	}

	@FunctionalInterface
	private interface Question<T> {

		T ask();

	}

}
