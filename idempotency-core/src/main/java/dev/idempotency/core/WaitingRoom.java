package dev.idempotency.core;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import org.jspecify.annotations.Nullable;

/**
 * Lets all attempts of this process that wait for the same key share one wait: one of
 * them polls the store, and the others get what it found. If it leaves without a result
 * for all, because its patience ended or because it claimed the key, the next one polls.
 */
final class WaitingRoom {

	private final ConcurrentMap<Subject, Party> parties = new ConcurrentHashMap<>();

	private final LongAdder waiting = new LongAdder();

	/**
	 * Enters the room.
	 * @param attempt the waiting attempt
	 * @param place the place of the key, if the store has several
	 * @return the party of attempts that wait for the same key; close it to leave
	 */
	Party enter(Attempt attempt, @Nullable Object place) {
		this.waiting.increment();
		// Without the trace, which does not matter here
		Subject subject = new Subject(attempt.key(), place, attempt.fingerprint(), attempt.policy().terms());
		return this.parties.compute(subject, (key, present) -> {
			Party party = (present != null) ? present : new Party(key);
			party.members++;
			return party;
		});
	}

	/**
	 * The number of waiting attempts.
	 */
	long waiting() {
		return this.waiting.sum();
	}

	/**
	 * What attempts wait for. Only attempts with the same key, fingerprint and terms
	 * share a result.
	 */
	private record Subject(IdempotencyKey key, @Nullable Object place, Fingerprint fingerprint, ClaimTerms terms) {
	}

	/**
	 * What an attempt that waits without a thread does next.
	 */
	enum Turn {

		LOOK, STAND_BY, FOUND

	}

	/**
	 * Attempts that wait for the same key.
	 */
	final class Party implements AutoCloseable {

		private final Subject subject;

		private final ReentrantLock lock = new ReentrantLock();

		private final Condition changed = this.lock.newCondition();

		/**
		 * Guarded by the map of parties.
		 */
		private int members;

		private boolean looking;

		private volatile ClaimResult.@Nullable Refused found;

		/**
		 * Members that wait without a thread while another one polls.
		 */
		private final Set<Runnable> standingBy = new LinkedHashSet<>();

		private Party(Subject subject) {
			this.subject = subject;
		}

		/**
		 * Waits until there is a result for all, until no member is polling any more, or
		 * for the given time.
		 * @return {@code false} if the thread was interrupted; its interrupt status is
		 * set
		 */
		boolean await(long millis) {
			this.lock.lock();
			try {
				long left = TimeUnit.MILLISECONDS.toNanos(millis);
				while (this.looking && this.found == null && left > 0) {
					left = this.changed.awaitNanos(left);
				}
				return true;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
			finally {
				this.lock.unlock();
			}
		}

		/**
		 * Polls on behalf of all, if no other member does.
		 * @param look polls until the wait of this member ends
		 * @param answersAll whether what was found is a result for all
		 * @return what was found, or {@code null} if another member is polling
		 */
		@Nullable ClaimResult tryToLook(Supplier<ClaimResult> look, Predicate<ClaimResult.Refused> answersAll) {
			if (!begin()) {
				return null;
			}
			ClaimResult.Refused answer = null;
			try {
				ClaimResult result = look.get();
				if (result instanceof ClaimResult.Refused refused && answersAll.test(refused)) {
					answer = refused;
				}
				return result;
			}
			finally {
				end(answer);
			}
		}

		/**
		 * Begins to poll on behalf of all, if no other member does, until {@link #end} is
		 * called.
		 */
		private boolean begin() {
			this.lock.lock();
			try {
				if (this.looking || this.found != null) {
					return false;
				}
				this.looking = true;
				return true;
			}
			finally {
				this.lock.unlock();
			}
		}

		/**
		 * Begins to poll on behalf of all, or stands by if another member does. Does not
		 * block.
		 * @param changed called once, on any thread, when there is a result for all, or
		 * when it is the caller's turn to poll, unless it leaves
		 * @return what the caller does next
		 */
		Turn lookOrStandBy(Runnable changed) {
			this.lock.lock();
			try {
				if (this.found != null) {
					return Turn.FOUND;
				}
				if (this.looking) {
					this.standingBy.add(changed);
					return Turn.STAND_BY;
				}
				this.looking = true;
				return Turn.LOOK;
			}
			finally {
				this.lock.unlock();
			}
		}

		/**
		 * Leaves the party.
		 * @param changed the callback with which the caller stands by
		 * @param looked whether it polled on behalf of all
		 * @param answer what it found for all, or {@code null} if the next one should
		 * poll
		 */
		void leave(Runnable changed, boolean looked, ClaimResult.@Nullable Refused answer) {
			try {
				if (looked) {
					end(answer);
				}
				else {
					standByNoMore(changed);
					// It may have been this member's turn
					passOn();
				}
			}
			finally {
				close();
			}
		}

		private void standByNoMore(Runnable changed) {
			this.lock.lock();
			try {
				this.standingBy.remove(changed);
			}
			finally {
				this.lock.unlock();
			}
		}

		/**
		 * Stops polling.
		 * @param answer what was found for all, or {@code null} if the next one should
		 * poll
		 */
		private void end(ClaimResult.@Nullable Refused answer) {
			if (answer != null) {
				// Later attempts wait for something else
				WaitingRoom.this.parties.remove(this.subject, this);
			}
			this.lock.lock();
			try {
				this.looking = false;
				this.found = answer;
				this.changed.signalAll();
			}
			finally {
				this.lock.unlock();
			}
			passOn();
		}

		/**
		 * Calls the members that stand by: all if there is a result, or the next one if
		 * no member polls.
		 */
		private void passOn() {
			List<Runnable> told = List.of();
			this.lock.lock();
			try {
				if (!this.standingBy.isEmpty() && (this.found != null || !this.looking)) {
					told = (this.found != null) ? List.copyOf(this.standingBy)
							: List.of(this.standingBy.iterator().next());
					told.forEach(this.standingBy::remove);
				}
			}
			finally {
				this.lock.unlock();
			}
			told.forEach(Runnable::run);
		}

		/**
		 * The result for all, if one was found.
		 */
		ClaimResult.@Nullable Refused found() {
			return this.found;
		}

		@Override
		public void close() {
			WaitingRoom.this.waiting.decrement();
			WaitingRoom.this.parties.computeIfPresent(this.subject, (key, present) -> {
				if (present != this) {
					return present;
				}
				this.members--;
				return (this.members > 0) ? this : null;
			});
		}

	}

}
