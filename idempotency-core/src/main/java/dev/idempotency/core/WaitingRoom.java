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
 * Where all who wait for the same in this process share one wait: one of them looks into
 * the store, and the others are told what it found. When it leaves without an answer for
 * all, because its patience ended or because the key is its own now, the next one looks.
 */
final class WaitingRoom {

	private final ConcurrentMap<Subject, Party> parties = new ConcurrentHashMap<>();

	private final LongAdder waiting = new LongAdder();

	/**
	 * Enters the room.
	 * @param attempt what is waited for
	 * @param place where the store has its key, if it has several places
	 * @return the party of those who wait for the same, to be left by closing it
	 */
	Party enter(Attempt attempt, @Nullable Object place) {
		this.waiting.increment();
		// Whatever the trace
		Subject subject = new Subject(attempt.key(), place, attempt.fingerprint(), attempt.policy().terms());
		return this.parties.compute(subject, (key, present) -> {
			Party party = (present != null) ? present : new Party(key);
			party.members++;
			return party;
		});
	}

	/**
	 * How many wait.
	 */
	long waiting() {
		return this.waiting.sum();
	}

	/**
	 * What is waited for: nobody is told what another question was answered with.
	 */
	private record Subject(IdempotencyKey key, @Nullable Object place, Fingerprint fingerprint, ClaimTerms terms) {
	}

	/**
	 * What one is to do who waits without a thread.
	 */
	enum Turn {

		LOOK, STAND_BY, FOUND

	}

	/**
	 * Those who wait for the same.
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
		 * Those who wait without a thread while somebody looks.
		 */
		private final Set<Runnable> standingBy = new LinkedHashSet<>();

		private Party(Subject subject) {
			this.subject = subject;
		}

		/**
		 * Waits until someone has found an answer for all, until nobody is looking any
		 * more, or for as long as it may take.
		 * @return {@code false} if the thread was interrupted; it is still marked so
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
		 * Looks on behalf of all, if nobody does.
		 * @param look comes back when there is no more waiting for the one who looks
		 * @param answersAll whether what was found is an answer for all
		 * @return what was found, or {@code null} if someone is looking already
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
		 * Begins to look on behalf of all, if nobody does, until {@link #end} is called.
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
		 * Begins to look on behalf of all, or stands by if somebody does. Blocks nobody.
		 * @param changed called once, on any thread, when there is an answer for all, or
		 * when it is the caller's turn to look, unless it leaves
		 * @return what is to be done
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
		 * @param changed what the caller has stood by with
		 * @param looked whether it looked on behalf of all
		 * @param answer what it found for all, or {@code null} if the next one is to look
		 */
		void leave(Runnable changed, boolean looked, ClaimResult.@Nullable Refused answer) {
			try {
				if (looked) {
					end(answer);
				}
				else {
					standByNoMore(changed);
					// It may have been our turn
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
		 * Looks no more.
		 * @param answer what was found for all, or {@code null} if the next one is to
		 * look
		 */
		private void end(ClaimResult.@Nullable Refused answer) {
			if (answer != null) {
				// Whoever comes from now on waits for something else
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
		 * Tells those who stand by: all of an answer, or the next one that nobody looks.
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
		 * What someone has found for all.
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
