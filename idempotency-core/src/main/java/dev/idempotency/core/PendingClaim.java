package dev.idempotency.core;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.NotifyingStore.Subscription;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim of one attempt that has no thread while it waits for a key in progress. It
 * waits as {@link PatientClaims} do, and with them: one member of the {@link WaitingRoom}
 * polls on behalf of all.
 * <p>
 * While it is {@link State#WORKING}, it belongs to one thread, or to a task that is about
 * to run; another thread only leaves a signal. A thread that finds it
 * {@link State#RESTING} makes it work again.
 */
final class PendingClaim implements PendingDecision {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	private static final Duration AFTER_REFUSAL = Duration.ofMillis(100);

	private final PatientClaims claims;

	private final Question question;

	private final DecisionThreads threads;

	private final DecisionHandler handler;

	private final @Nullable Object place;

	/**
	 * One object, by which the party identifies this member.
	 */
	private final Runnable partyChanged = this::wakeUp;

	private final Object lock = new Object();

	private State state = State.WORKING;

	private boolean signalled;

	private boolean cancelled;

	// The fields below belong to the thread that works

	private @Nullable Future<?> alarm;

	private @Nullable ClaimResult known;

	private long deadline;

	private WaitingRoom.@Nullable Party party;

	private boolean looking;

	private @Nullable Pauses pauses;

	private @Nullable Subscription subscription;

	PendingClaim(PatientClaims claims, Question question, DecisionThreads threads, DecisionHandler handler) {
		this.claims = claims;
		this.question = question;
		this.threads = threads;
		this.handler = handler;
		this.place = claims.store().place();
	}

	/**
	 * Submits the claim.
	 */
	void start() {
		try {
			this.threads.claims().execute(() -> work(this::claim));
		}
		catch (RejectedExecutionException ex) {
			IdempotencyStoreException refused = new IdempotencyStoreException(
					"The claim of %s was rejected: too many claims wait for the idempotency store"
						.formatted(this.question.attempt().key()),
					ex);
			endSoon(() -> fail(refused));
		}
		catch (Throwable ex) {
			endSoon(() -> fail(ex));
		}
	}

	@Override
	public void cancel() {
		synchronized (this.lock) {
			this.cancelled = true;
		}
		wakeUp();
	}

	private boolean isCancelled() {
		synchronized (this.lock) {
			return this.cancelled;
		}
	}

	private void work(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	private void claim() {
		if (isCancelled()) {
			throw new CancellationException("The attempt was cancelled before its key was claimed");
		}
		Attempt attempt = this.question.attempt();
		ClaimResult result = ask();
		if (!this.question.mayWait() || !attempt.policy().isPatient() || !Answers.isRunning(result, attempt)) {
			conclude(result);
			return;
		}
		this.known = result;
		this.deadline = this.claims.clock().millis() + attempt.policy().patience().toMillis();
		this.party = this.claims.waitingRoom().enter(attempt, this.place);
		// The calling thread may be one that must not block
		dispatch();
	}

	private ClaimResult ask() {
		return this.claims.store().claimAt(this.place, this.question.attempt());
	}

	/**
	 * A key that was in progress counts as in progress while the store fails.
	 */
	private ClaimResult askAgain(ClaimResult known) {
		try {
			return ask();
		}
		catch (IdempotencyStoreException ex) {
			return known;
		}
	}

	/**
	 * Polls on behalf of all, or stands by while another member does.
	 */
	private void goOn() {
		if (this.alarm != null) {
			// Not on the thread that wakes up, which must be quick
			this.alarm.cancel(false);
			this.alarm = null;
		}
		ClaimResult known = Objects.requireNonNull(this.known, "the attempt must be waiting");
		WaitingRoom.Party party = Objects.requireNonNull(this.party, "the attempt must be waiting");
		if (isCancelled()) {
			conclude(known);
			return;
		}
		if (!this.looking) {
			ClaimResult.Refused found = party.found();
			if (found != null) {
				// Each replay counts
				conclude(isCounted() ? askAgain(found) : found);
				return;
			}
			if (isOver()) {
				conclude(known);
				return;
			}
			if (standsBy(party)) {
				return;
			}
			if (!this.looking) {
				goOn();
				return;
			}
		}
		look(known);
	}

	/**
	 * Stands by if another member polls. Otherwise begins to poll, unless a result was
	 * found.
	 */
	private boolean standsBy(WaitingRoom.Party party) {
		synchronized (this.lock) {
			if (this.cancelled) {
				return false;
			}
			switch (party.lookOrStandBy(this.partyChanged)) {
				case LOOK -> this.looking = true;
				case STAND_BY -> {
					rest(left());
					return true;
				}
				case FOUND -> {
				}
			}
			return false;
		}
	}

	private void look(ClaimResult first) {
		Attempt attempt = this.question.attempt();
		if (this.pauses == null) {
			this.subscription = this.claims.store().subscribe(attempt.key(), this::wakeUp);
			this.pauses = new Pauses(this.subscription != null);
		}
		ClaimResult result = first;
		while (true) {
			// Immediately the first time: changes before the subscription were not
			// notified
			result = askAgain(result);
			this.known = result;
			Duration left = left();
			if (!Answers.isRunning(result, attempt) || left.isZero()) {
				conclude(result);
				return;
			}
			Duration pause = this.pauses.next(left);
			synchronized (this.lock) {
				if (!this.signalled && !this.cancelled) {
					rest(pause);
					return;
				}
				this.signalled = false;
			}
			if (isCancelled()) {
				conclude(result);
				return;
			}
		}
	}

	private boolean isCounted() {
		return this.question.attempt().policy().maxReplays() > 0;
	}

	private Duration left() {
		return Duration.ofMillis(Math.max(0, this.deadline - this.claims.clock().millis()));
	}

	private boolean isOver() {
		return left().isZero();
	}

	/**
	 * Rests until a signal or for some time. The caller must not touch this object
	 * afterwards.
	 */
	private void rest(Duration pause) {
		this.alarm = this.claims.timer().in(pause, this::wakeUp);
		this.state = State.RESTING;
	}

	private void wakeUp() {
		if (isTakenUp()) {
			dispatch();
		}
	}

	private boolean isTakenUp() {
		synchronized (this.lock) {
			if (this.state != State.RESTING) {
				this.signalled = true;
				return false;
			}
			this.state = State.WORKING;
			this.signalled = false;
			return true;
		}
	}

	/**
	 * Hands the work to an executor: the calling thread may be any thread.
	 */
	private void dispatch() {
		try {
			if (hasToAsk()) {
				this.threads.looks().execute(() -> work(this::goOn));
			}
			else {
				endSoon(this::goOn);
			}
		}
		catch (RejectedExecutionException ex) {
			postpone();
		}
		catch (Throwable ex) {
			endSoon(() -> fail(ex));
		}
	}

	private boolean hasToAsk() {
		if (isCancelled()) {
			return false;
		}
		if (this.looking) {
			return true;
		}
		boolean found = this.party != null && this.party.found() != null;
		return found ? isCounted() : !isOver();
	}

	/**
	 * There was no thread to poll on. The wait continues.
	 */
	private void postpone() {
		ClaimResult known = this.known;
		if (known == null || isOver()) {
			endSoon(() -> conclude(Objects.requireNonNull(known, "the attempt must be waiting")));
			return;
		}
		boolean resting = false;
		try {
			synchronized (this.lock) {
				if (!this.cancelled) {
					rest(AFTER_REFUSAL);
					resting = true;
				}
			}
			if (!resting) {
				endSoon(this::goOn);
			}
		}
		catch (Throwable ex) {
			endSoon(() -> fail(ex));
		}
	}

	/**
	 * Runs a final task that needs no store and must not be dropped.
	 */
	private void endSoon(Runnable task) {
		try {
			this.threads.endings().execute(() -> work(task));
		}
		catch (Throwable ex) {
			work(task);
		}
	}

	private void conclude(ClaimResult result) {
		boolean forAll = result instanceof ClaimResult.Refused && !Answers.isRunning(result, this.question.attempt());
		try {
			leave(forAll ? (ClaimResult.Refused) result : null);
		}
		catch (Throwable ex) {
			if (result instanceof ClaimResult.Granted granted) {
				FirstFailure.thenTry(ex, () -> this.claims.store().release(granted.claim()));
			}
			settle(() -> rethrow(ex));
			return;
		}
		settle(() -> result);
	}

	private void fail(Throwable failure) {
		FirstFailure.then(failure, () -> leave(null));
		settle(() -> rethrow(failure));
	}

	private static ClaimResult rethrow(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		throw (RuntimeException) failure;
	}

	private void leave(ClaimResult.@Nullable Refused answer) {
		WaitingRoom.Party left = this.party;
		Subscription ended = this.subscription;
		boolean looked = this.looking;
		this.party = null;
		this.subscription = null;
		this.looking = false;
		try {
			if (ended != null) {
				ended.close();
			}
		}
		finally {
			if (left != null) {
				left.leave(this.partyChanged, looked, answer);
			}
		}
	}

	/**
	 * Makes the decision, and delivers it to the handler unless the attempt was
	 * cancelled.
	 */
	private void settle(Supplier<ClaimResult> answer) {
		Decision decision;
		try {
			decision = this.question.decide().apply(answer);
		}
		catch (Throwable ex) {
			if (isToBeTold()) {
				tell(() -> this.handler.failed(ex));
			}
			return;
		}
		boolean told = isToBeTold() && tell(() -> this.handler.decided(decision));
		if (!told && decision instanceof Decision.Proceed proceed) {
			// Nothing has run: release the key
			tell(proceed.execution()::close);
		}
	}

	private boolean isToBeTold() {
		synchronized (this.lock) {
			this.state = State.ENDED;
			return !this.cancelled;
		}
	}

	private boolean tell(Runnable message) {
		try {
			message.run();
			return true;
		}
		catch (Throwable ex) {
			logger.error("The decision about {} could not be delivered", this.question.attempt().key(), ex);
			return false;
		}
	}

	/**
	 * What to claim, and how to decide.
	 *
	 * @param attempt the attempt, in its namespace and its trace
	 * @param mayWait whether it waits if its policy has patience
	 * @param decide turns the result of the claim into a decision, and publishes it
	 */
	record Question(Attempt attempt, boolean mayWait, Function<Supplier<ClaimResult>, Decision> decide) {
	}

	private enum State {

		WORKING, RESTING, ENDED

	}

}
