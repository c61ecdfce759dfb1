package dev.idempotency.core;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.NotifyingStore.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Claims keys, and waits for those that are in progress. All attempts of this process
 * that wait for the same key share one wait: one of them looks into the store, and the
 * others get what it found. If it leaves without a result for all, because its patience
 * ended or because it claimed the key, the next one looks.
 */
final class PatientClaims {

	private final GuardedStore store;

	private final Clock clock;

	/**
	 * For threads that wait. Those that wait without a thread need none.
	 */
	private final Semaphore waitingThreads;

	private final WaitingTimer timer = new WaitingTimer();

	private final ConcurrentMap<Subject, SharedWait> waits = new ConcurrentHashMap<>();

	private final LongAdder waiting = new LongAdder();

	/**
	 * Those that the calling thread is about to wake up. One whose wait ends on that very
	 * thread wakes up the next one. Thousands must not nest.
	 */
	@SuppressWarnings("ThreadLocalUsage") // It is that of one engine
	private final ThreadLocal<@Nullable Queue<Waiter>> wakingUp = new ThreadLocal<>();

	PatientClaims(GuardedStore store, Clock clock, int maxWaiting) {
		this.store = store;
		this.clock = clock;
		this.waitingThreads = new Semaphore(maxWaiting);
	}

	/**
	 * Claims a key. If it is in progress and the policy has patience, waits until the
	 * execution ends, patience ends, or the thread is interrupted. It does not wait if as
	 * many threads as may do so wait already.
	 */
	ClaimResult claim(Attempt attempt) {
		ClaimResult result = this.store.claim(attempt);
		if (!canWait(attempt, result) || !this.waitingThreads.tryAcquire()) {
			return result;
		}
		try {
			return await(attempt, result);
		}
		finally {
			this.waitingThreads.release();
		}
	}

	private ClaimResult await(Attempt attempt, ClaimResult running) {
		// Pins no virtual thread
		Semaphore signals = new Semaphore(0);
		Waiter waiter = new Waiter(attempt, this.store.place(), running, signals::release, true);
		try {
			Duration pause = waiter.lookOrStandBy();
			while (pause != null) {
				if (signals.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
					signals.drainPermits();
				}
				pause = waiter.lookOrStandBy();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, waiter::leave);
			throw ex;
		}
		return waiter.leave();
	}

	static boolean canWait(Attempt attempt, ClaimResult result) {
		return attempt.policy().isPatient() && Answers.isRunning(result, attempt);
	}

	/**
	 * An attempt without a thread begins to wait.
	 * @param place the place of the key, if the store has several
	 * @param running the result of its first claim
	 * @param wakeUp called on any thread when there may be something to do
	 */
	Waiter enter(Attempt attempt, @Nullable Object place, ClaimResult running, Runnable wakeUp) {
		return new Waiter(attempt, place, running, wakeUp, false);
	}

	GuardedStore store() {
		return this.store;
	}

	WaitingTimer timer() {
		return this.timer;
	}

	/**
	 * The number of waiting attempts.
	 */
	long waiting() {
		return this.waiting.sum();
	}

	private void wakeUp(List<Waiter> waiters) {
		if (waiters.isEmpty()) {
			return;
		}
		Queue<Waiter> known = this.wakingUp.get();
		if (known != null) {
			known.addAll(waiters);
			return;
		}
		Queue<Waiter> next = new ArrayDeque<>(waiters);
		this.wakingUp.set(next);
		try {
			while (!next.isEmpty()) {
				next.remove().wakeUp.run();
			}
		}
		finally {
			this.wakingUp.remove();
		}
	}

	/**
	 * An attempt that waits. Only one thread at a time may use it.
	 */
	final class Waiter {

		private final Attempt attempt;

		private final @Nullable Object place;

		private final Runnable wakeUp;

		private final boolean hasThread;

		private final long deadline;

		private final SharedWait wait;

		private ClaimResult known;

		private @Nullable Pauses pauses;

		private @Nullable Subscription subscription;

		private Waiter(Attempt attempt, @Nullable Object place, ClaimResult running, Runnable wakeUp,
				boolean hasThread) {
			this.attempt = attempt;
			this.place = place;
			this.known = running;
			this.wakeUp = wakeUp;
			this.hasThread = hasThread;
			this.deadline = PatientClaims.this.clock.millis() + attempt.policy().patience().toMillis();
			PatientClaims.this.waiting.increment();
			// Without the trace, which does not matter here
			Subject subject = new Subject(attempt.key(), place, attempt.fingerprint(), attempt.policy().terms());
			this.wait = PatientClaims.this.waits.compute(subject, (key, present) -> {
				SharedWait joined = (present != null) ? present : new SharedWait(key);
				joined.members++;
				return joined;
			});
		}

		/**
		 * Looks on behalf of all, or stands by while another attempt does.
		 * @return when to do it again unless woken up before, or {@code null} if the wait
		 * is over
		 */
		@Nullable Duration lookOrStandBy() {
			boolean looks = this.wait.isLooker(this);
			ClaimResult.Refused found = this.wait.found;
			if (found != null) {
				if (isCounted()) {
					// Each replay counts
					this.known = claimAgain(found);
				}
				return null;
			}
			Duration left = left();
			if (this.pauses == null) {
				if (left.isZero()) {
					return null;
				}
				if (!looks) {
					return left;
				}
				this.subscription = PatientClaims.this.store.subscribe(this.attempt.key(), this.wakeUp);
				this.pauses = new Pauses(this.subscription != null);
			}
			// Immediately the first time: changes before the subscription were not
			// notified
			this.known = claimAgain(this.known);
			if (!Answers.isRunning(this.known, this.attempt)) {
				// A key may be granted now, so nothing that can fail comes in between
				return null;
			}
			left = left();
			return left.isZero() ? null : this.pauses.next(left);
		}

		/**
		 * A key that was in progress counts as in progress while the store fails: the
		 * wait continues, and the attempt does not run, whatever the settings say about a
		 * store that fails.
		 */
		private ClaimResult claimAgain(ClaimResult known) {
			try {
				return PatientClaims.this.store.claimAt(this.place, this.attempt);
			}
			catch (IdempotencyStoreException ex) {
				return known;
			}
		}

		/**
		 * Whether there is something to ask the store for. If not, the wait is over.
		 */
		boolean needsStore() {
			return this.pauses != null || ((this.wait.found != null) ? isCounted() : !isOver());
		}

		private boolean isCounted() {
			return this.attempt.policy().maxReplays() > 0;
		}

		boolean isOver() {
			return left().isZero();
		}

		private Duration left() {
			return Duration.ofMillis(Math.max(0, this.deadline - PatientClaims.this.clock.millis()));
		}

		/**
		 * Ends the wait, without calling the store. The others get the result if it is
		 * one for all.
		 * @return what the attempt knows
		 */
		ClaimResult leave() {
			ClaimResult.Refused found = this.wait.found;
			if (found != null && !isCounted()) {
				this.known = found;
			}
			boolean forAll = this.known instanceof ClaimResult.Refused && !Answers.isRunning(this.known, this.attempt);
			try {
				try {
					if (this.subscription != null) {
						this.subscription.close();
					}
				}
				finally {
					this.wait.leave(this, forAll ? (ClaimResult.Refused) this.known : null);
				}
			}
			catch (Throwable ex) {
				if (this.known instanceof ClaimResult.Granted granted) {
					FirstFailure.thenTry(ex, () -> PatientClaims.this.store.release(granted.claim()));
				}
				throw ex;
			}
			return this.known;
		}

	}

	/**
	 * What attempts wait for. Only attempts with the same key, fingerprint and terms
	 * share a result.
	 */
	private record Subject(IdempotencyKey key, @Nullable Object place, Fingerprint fingerprint, ClaimTerms terms) {
	}

	/**
	 * The attempts that wait for the same key. Nothing blocks while it is locked.
	 */
	private final class SharedWait {

		private final Subject subject;

		/**
		 * Guarded by the map of waits.
		 */
		private int members;

		private final Set<Waiter> waiters = new LinkedHashSet<>();

		private @Nullable Waiter looker;

		private volatile ClaimResult.@Nullable Refused found;

		private SharedWait(Subject subject) {
			this.subject = subject;
		}

		/**
		 * Whether an attempt looks. It does from now on if no other one does.
		 */
		private synchronized boolean isLooker(Waiter waiter) {
			this.waiters.add(waiter);
			if (this.looker == null && this.found == null) {
				this.looker = waiter;
			}
			return this.looker == waiter;
		}

		/**
		 * Ends the wait of one attempt.
		 * @param answer what it found for all, or {@code null} if the next one should
		 * look
		 */
		private void leave(Waiter waiter, ClaimResult.@Nullable Refused answer) {
			if (answer != null) {
				// Later attempts wait for something else
				PatientClaims.this.waits.remove(this.subject, this);
			}
			try {
				wakeUp(remove(waiter, answer));
			}
			finally {
				PatientClaims.this.waiting.decrement();
				PatientClaims.this.waits.computeIfPresent(this.subject,
						(key, present) -> (present == this && --this.members == 0) ? null : present);
			}
		}

		/**
		 * Removes one attempt.
		 * @return those to wake up: all if there is a result, or the next one if none
		 * looks any more
		 */
		private synchronized List<Waiter> remove(Waiter waiter, ClaimResult.@Nullable Refused answer) {
			this.waiters.remove(waiter);
			if (this.looker == waiter) {
				this.looker = null;
				this.found = answer;
				if (answer != null) {
					return List.copyOf(this.waiters);
				}
			}
			if (this.looker != null || this.found != null) {
				return List.of();
			}
			// One that has a thread does not depend on a free one to look
			return Stream.concat(this.waiters.stream().filter((next) -> next.hasThread), this.waiters.stream())
				.limit(1)
				.toList();
		}

	}

}
