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
 * The claim of one attempt that has no thread while it waits for a running twin. It waits
 * as {@link PatientClaims} do, and with them: whoever looks does so for all in the
 * {@link WaitingRoom}.
 * <p>
 * While it is {@link State#WORKING}, one thread has it, or will have it soon; whoever
 * else comes by leaves a note. Whoever finds it {@link State#RESTING} gets it to work.
 */
final class PendingClaim implements PendingDecision {

	private static final Logger logger = LoggerFactory.getLogger(EngineLog.NAME);

	private static final Duration AFTER_REFUSAL = Duration.ofMillis(100);

	private final PatientClaims claims;

	private final Question question;

	private final DecisionThreads threads;

	private final DecisionHandler handler;

	private final @Nullable Object place;

	/**
	 * One object, by which the party knows who stands by.
	 */
	private final Runnable partyChanged = this::wakeUp;

	private final Object lock = new Object();

	private State state = State.WORKING;

	private boolean signalled;

	private boolean cancelled;

	// From here on, what belongs to whoever works

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
	 * Asks for the key.
	 */
	void start() {
		try {
			this.threads.claims().execute(() -> work(this::claim));
		}
		catch (RejectedExecutionException ex) {
			IdempotencyStoreException refused = new IdempotencyStoreException(
					"The idempotency store was not asked about %s: too many claims wait for it"
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
			throw new CancellationException("Nobody was left to ask for the key");
		}
		Attempt attempt = this.question.attempt();
		ClaimResult result = ask();
		if (!this.question.mayWait() || !attempt.policy().isPatient() || !Answering.isRunning(result, attempt)) {
			conclude(result);
			return;
		}
		this.known = result;
		this.deadline = this.claims.clock().millis() + attempt.policy().patience().toMillis();
		this.party = this.claims.waitingRoom().enter(attempt, this.place);
		// This may be a thread that must not block
		dispatch();
	}

	private ClaimResult ask() {
		return this.claims.store().claimAt(this.place, this.question.attempt());
	}

	/**
	 * What is known of a running twin stays known when the store fails.
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
	 * Looks on behalf of all, or stands by while somebody else does.
	 */
	private void goOn() {
		if (this.alarm != null) {
			// Not by whoever woke us up, who may be in a hurry
			this.alarm.cancel(false);
			this.alarm = null;
		}
		ClaimResult known = Objects.requireNonNull(this.known, "somebody is waited for");
		WaitingRoom.Party party = Objects.requireNonNull(this.party, "somebody is waited for");
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
	 * Stands by if somebody looks. Otherwise begins to look, unless something was found.
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
			// At once the first time: nobody told us what happened before we listened
			result = askAgain(result);
			this.known = result;
			Duration left = left();
			if (!Answering.isRunning(result, attempt) || left.isZero()) {
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
	 * Rests until something happens, or for some time. Nothing here belongs to the caller
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
	 * Hands on what is to be done: the calling thread may be anybody's.
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
	 * There was no thread to look on, which is no reason not to wait any longer.
	 */
	private void postpone() {
		ClaimResult known = this.known;
		if (known == null || isOver()) {
			endSoon(() -> conclude(Objects.requireNonNull(known, "somebody is waited for")));
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
	 * Does what needs no store, and must be done.
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
		boolean forAll = result instanceof ClaimResult.Refused && !Answering.isRunning(result, this.question.attempt());
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
	 * Lets it be decided, and tells whoever asked, unless nobody wants to know any more.
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
			// Nothing has run
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
			logger.error("Whoever asked for {} failed when it was told of the decision", this.question.attempt().key(),
					ex);
			return false;
		}
	}

	/**
	 * What is asked.
	 *
	 * @param attempt the attempt, in its namespace and its trace
	 * @param mayWait whether it waits if its policy is patient
	 * @param decide makes a decision of what the store has answered, and tells of it
	 */
	record Question(Attempt attempt, boolean mayWait, Function<Supplier<ClaimResult>, Decision> decide) {
	}

	private enum State {

		WORKING, RESTING, ENDED

	}

}
