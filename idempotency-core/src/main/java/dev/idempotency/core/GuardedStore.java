package dev.idempotency.core;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyExpiredException;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.RecordState;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.store.BatchRenewingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.NotifyingStore.Subscription;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RoutingStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store as the engine uses it. Exceptions of its driver are logged, published and
 * wrapped in an {@link IdempotencyStoreException}; errors are rethrown unchanged. It also
 * packs and unpacks results.
 * <p>
 * An interrupt of the calling thread is set aside meanwhile. It would keep a driver from
 * waiting for a reply, although the store does what it is asked: a key that is claimed
 * would have no owner, and work that is done would not be completed.
 */
final class GuardedStore {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	/**
	 * A statement or a round trip of this size takes a server some milliseconds.
	 */
	private static final int MOST_RENEWALS = 500;

	private final IdempotencyStore store;

	private final Listeners listeners;

	private final ResultPacking packing;

	GuardedStore(IdempotencyStore store, Listeners listeners, ResultPacking packing) {
		this.store = store;
		this.listeners = listeners;
		this.packing = packing;
	}

	/**
	 * Claims a key, or returns its record.
	 * @throws IdempotencyKeyExpiredException if there is no record, and the attempt may
	 * not be the first one
	 */
	ClaimResult claim(Attempt attempt) {
		if (!attempt.mayBeFirst()) {
			Inspection found = find(attempt.key()).orElseThrow(() -> expired(attempt));
			if (found.status().state() == RecordState.COMPLETED && attempt.terms().onReplay() == OnReplay.READ) {
				return new ClaimResult.Refused(Answers.asMet(found));
			}
		}
		ClaimResult result = claimAnyway(attempt);
		if (result instanceof ClaimResult.Granted granted && granted.claim().attempt() == 1 && !attempt.mayBeFirst()) {
			// The time passed, or the record expired, before the store was reached
			IdempotencyKeyExpiredException expired = expired(attempt);
			FirstFailure.thenTry(expired, () -> release(granted.claim()));
			throw expired;
		}
		return result;
	}

	private static IdempotencyKeyExpiredException expired(Attempt attempt) {
		return new IdempotencyKeyExpiredException(
				"Nothing is stored for %s, and its key is too old, or its time is in the future"
					.formatted(attempt.key()));
	}

	private ClaimResult claimAnyway(Attempt attempt) {
		ClaimTerms terms = attempt.terms();
		boolean interrupted = Thread.interrupted();
		long started = this.listeners.startTimer();
		ClaimResult result;
		try {
			result = this.store.claim(attempt.key(), attempt.fingerprint(), terms);
		}
		catch (Throwable ex) {
			throw failed(StoreVerb.CLAIM, attempt.key(), started, ex);
		}
		finally {
			restore(interrupted);
		}
		this.listeners.stopTimer(StoreVerb.CLAIM, started, false);
		return result;
	}

	/**
	 * Claims a key in the place of an earlier claim, on any thread.
	 */
	ClaimResult claimAgain(Claim lost, Attempt attempt) {
		return claimAt(lost.place(), attempt);
	}

	/**
	 * Claims a key in a place, on any thread.
	 */
	ClaimResult claimAt(@Nullable Object place, Attempt attempt) {
		return (this.store instanceof RoutingStore routing) ? routing.at(place, () -> claim(attempt)) : claim(attempt);
	}

	/**
	 * The place of the calling thread's keys, if there are several.
	 */
	@Nullable Object place() {
		return (this.store instanceof RoutingStore routing) ? routing.place() : null;
	}

	/**
	 * How many claims can be renewed in one call.
	 */
	int mostRenewals() {
		return (this.store instanceof BatchRenewingStore) ? MOST_RENEWALS : 1;
	}

	/**
	 * Where a claim is renewed, if there are several places.
	 */
	@Nullable Object renewalPlace(Claim claim) {
		return (this.store instanceof BatchRenewingStore batching) ? batching.renewalPlace(claim) : claim.place();
	}

	/**
	 * Renews claims of one place.
	 * @param quietly whether a failure is logged at debug level only: during a shutdown,
	 * the store may be closed already
	 * @return the claims that are lost
	 */
	Set<Claim> renew(List<Claim> claims, Duration lease, boolean quietly) {
		Claim first = claims.get(0);
		long started = this.listeners.startTimer();
		Set<Claim> lost;
		try {
			lost = (this.store instanceof BatchRenewingStore batching) ? batching.renewAll(claims, lease)
					: this.store.renew(first, lease) ? Set.of() : Set.of(first);
		}
		catch (RuntimeException ex) {
			if (quietly) {
				logger.debug("The idempotency store failed to renew {} during the shutdown", first.key(), ex);
				throw new IdempotencyStoreException("The idempotency store failed to renew leases", ex);
			}
			throw failed(StoreVerb.RENEW, first.key(), started, ex);
		}
		catch (Error ex) {
			throw failed(StoreVerb.RENEW, first.key(), started, ex);
		}
		this.listeners.stopTimer(StoreVerb.RENEW, started, false);
		return lost;
	}

	boolean complete(Claim claim, StoredResult result, Duration atLeast) {
		boolean interrupted = Thread.interrupted();
		long started = this.listeners.startTimer();
		boolean held;
		try {
			held = this.store.complete(claim, result, atLeast);
		}
		catch (Throwable ex) {
			throw failed(StoreVerb.COMPLETE, claim.key(), started, ex);
		}
		finally {
			restore(interrupted);
		}
		this.listeners.stopTimer(StoreVerb.COMPLETE, started, false);
		return held;
	}

	/**
	 * Completes a key inside the calling thread's transaction.
	 * @throws IllegalStateException if the store cannot take part in it
	 */
	boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast) {
		JoiningStore joining = joining();
		return ask(StoreVerb.COMPLETE, claim.key(), () -> joining.completeInTransaction(claim, result, atLeast));
	}

	/**
	 * Completes a key inside the calling thread's transaction, which continues.
	 * @throws IllegalStateException if the store cannot take part in it
	 */
	boolean completeInCallersTransaction(Claim claim, StoredResult result, Duration atLeast) {
		JoiningStore joining = joining();
		return ask(StoreVerb.COMPLETE, claim.key(), () -> joining.completeInCallersTransaction(claim, result, atLeast));
	}

	/**
	 * Makes sure that a claim is held until the end of the calling thread's transaction.
	 * @throws IllegalStateException if the store cannot take part in it
	 */
	boolean holdInTransaction(Claim claim, Duration lease) {
		JoiningStore joining = joining();
		return ask(StoreVerb.RENEW, claim.key(), () -> joining.holdInTransaction(claim, lease));
	}

	/**
	 * Returns whether a transaction that has ended completed a key, and releases the key
	 * if not.
	 */
	boolean afterTransaction(Claim claim) {
		JoiningStore joining = joining();
		return ask(StoreVerb.RELEASE, claim.key(), () -> joining.afterTransaction(claim));
	}

	private JoiningStore joining() {
		if (this.store instanceof JoiningStore joining) {
			return joining;
		}
		throw new IllegalStateException("%s cannot complete a key inside a transaction: it is not a JoiningStore"
			.formatted(this.store.getClass().getName()));
	}

	/**
	 * Whether a key could be completed inside the calling thread's transaction.
	 */
	boolean isInTransaction() {
		return this.store instanceof JoiningStore joining && joining.isInTransaction();
	}

	boolean canJoin() {
		return this.store instanceof JoiningStore;
	}

	boolean release(Claim claim) {
		return ask(StoreVerb.RELEASE, claim.key(), () -> this.store.release(claim));
	}

	boolean abandon(Claim claim) {
		return ask(StoreVerb.ABANDON, claim.key(), () -> this.store.abandon(claim));
	}

	/**
	 * Packs a plain result for the store.
	 */
	StoredResult pack(IdempotencyKey key, StoredResult plain) {
		return this.packing.pack(key, plain);
	}

	/**
	 * Unpacks a stored result.
	 * @throws UnreadableResultException if it cannot
	 */
	StoredResult unpack(IdempotencyKey key, StoredResult result) {
		try {
			return this.packing.unpack(key, result);
		}
		catch (UnreadableResultException ex) {
			// The client learns only that there is no result
			logger.warn("{}", ex.getMessage());
			throw ex;
		}
	}

	/**
	 * Reads the record of a key.
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	Optional<Inspection> find(IdempotencyKey key) {
		InspectableStore inspectable = inspectable();
		return ask(StoreVerb.FIND, key, () -> inspectable.find(key));
	}

	/**
	 * Forgets a key in any state.
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	boolean forget(IdempotencyKey key) {
		InspectableStore inspectable = inspectable();
		return ask(StoreVerb.FORGET, key, () -> inspectable.forget(key));
	}

	/**
	 * Forgets a key that a claim holds.
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	boolean forget(Claim claim) {
		InspectableStore inspectable = inspectable();
		return ask(StoreVerb.FORGET, claim.key(), () -> inspectable.forget(claim));
	}

	boolean isInspectable() {
		return this.store instanceof InspectableStore;
	}

	private InspectableStore inspectable() {
		if (this.store instanceof InspectableStore inspectable) {
			return inspectable;
		}
		throw new UnsupportedOperationException(
				"%s cannot be inspected: it is not an InspectableStore".formatted(this.store.getClass().getName()));
	}

	/**
	 * Wakes a waiter up when the key is completed, released or forgotten, if the store
	 * can notify.
	 * @return ends the subscription when closed, or {@code null} if the waiter has to
	 * poll
	 */
	@Nullable Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
		if (!(this.store instanceof NotifyingStore notifying)) {
			return null;
		}
		try {
			Subscription subscription = notifying.subscribe(key, wakeUp);
			return () -> close(subscription);
		}
		catch (RuntimeException ex) {
			logger.debug("The idempotency store cannot notify when {} ends", key, ex);
			return null;
		}
	}

	private static void close(Subscription subscription) {
		try {
			subscription.close();
		}
		catch (RuntimeException ex) {
			// The waiter may hold the key by now, and must not lose it because of this
			logger.debug("A subscription could not be ended", ex);
		}
	}

	/**
	 * Calls the store. The calls of every request, claim and complete, do not use this
	 * method, to save an object.
	 */
	private <T> T ask(StoreVerb verb, IdempotencyKey key, Supplier<T> question) {
		boolean interrupted = Thread.interrupted();
		long started = this.listeners.startTimer();
		T answer;
		try {
			answer = question.get();
		}
		catch (Throwable ex) {
			throw failed(verb, key, started, ex);
		}
		finally {
			restore(interrupted);
		}
		this.listeners.stopTimer(verb, started, false);
		return answer;
	}

	/**
	 * Interrupts the calling thread again.
	 * @param interrupted whether it was interrupted before
	 */
	static void restore(boolean interrupted) {
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Logs and publishes a failure.
	 * @return the exception to throw; an error is thrown here
	 */
	private IdempotencyException failed(StoreVerb verb, IdempotencyKey key, long started, Throwable failure) {
		boolean refused = failure instanceof IdempotencyException && !(failure instanceof IdempotencyStoreException);
		try {
			if (failure instanceof Error error) {
				FirstFailure.then(error, () -> tell(verb, key, error));
				throw error;
			}
			if (!refused) {
				tell(verb, key, failure);
			}
		}
		finally {
			this.listeners.stopTimer(verb, started, !refused);
		}
		return (failure instanceof IdempotencyException known) ? known
				: new IdempotencyStoreException("The idempotency store failed to %s %s".formatted(verb, key), failure);
	}

	private void tell(StoreVerb verb, IdempotencyKey key, Throwable cause) {
		// One line each: a store that is down fails every request
		logger.warn("The idempotency store failed to {} {}: {}", verb, key, cause.toString());
		logger.debug("The failure in full", cause);
		this.listeners.publish(new IdempotencyEvent.StoreFailed(key, verb, cause));
	}

}
