package dev.idempotency.core;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.store.ClaimResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim of one attempt that has no thread while it waits for a key in progress. It
 * waits as {@link PatientClaims} do, and with them.
 * <p>
 * It belongs to one thread, or to a task that is about to run. While it rests, it belongs
 * to the one who signals: the first signal makes it work again.
 */
final class PendingClaim implements PendingDecision {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	private static final Duration AFTER_REFUSAL = Duration.ofMillis(100);

	private final PatientClaims claims;

	private final Attempt attempt;

	private final boolean mayWait;

	private final Function<Supplier<ClaimResult>, Decision> decide;

	private final DecisionThreads threads;

	private final DecisionHandler handler;

	private final @Nullable Object place;

	private volatile boolean cancelled;

	private volatile CompletableFuture<Boolean> signal = new CompletableFuture<>();

	// The fields below belong to the thread that works

	private PatientClaims.@Nullable Waiter waiter;

	private @Nullable Future<?> alarm;

	/**
	 * Create the claim of one attempt.
	 * @param claims claims the key
	 * @param attempt the attempt, in its namespace and its trace
	 * @param mayWait whether it waits if its policy has patience
	 * @param decide turns the result of the claim into a decision, and publishes it
	 * @param threads run all of it
	 * @param handler receives the decision
	 */
	PendingClaim(PatientClaims claims, Attempt attempt, boolean mayWait,
			Function<Supplier<ClaimResult>, Decision> decide, DecisionThreads threads, DecisionHandler handler) {
		this.claims = claims;
		this.attempt = attempt;
		this.mayWait = mayWait;
		this.decide = decide;
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
						.formatted(this.attempt.key()),
					ex);
			endSoon(() -> fail(refused));
		}
		catch (Throwable ex) {
			endSoon(() -> fail(ex));
		}
	}

	@Override
	public void cancel() {
		this.cancelled = true;
		wakeUp();
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
		if (this.cancelled) {
			throw new CancellationException("The attempt was cancelled before its key was claimed");
		}
		ClaimResult result = this.claims.store().claimAt(this.place, this.attempt);
		if (!this.mayWait || !PatientClaims.canWait(this.attempt, result)) {
			settle(() -> result);
			return;
		}
		this.waiter = this.claims.enter(this.attempt, this.place, result, this::wakeUp);
		// The calling thread may be one that must not block
		dispatch(this.waiter);
	}

	private void goOn(PatientClaims.Waiter waiter, boolean looks) {
		if (this.alarm != null) {
			// Not on the thread that wakes up, which must be quick
			this.alarm.cancel(false);
			this.alarm = null;
		}
		// Whatever was signalled before is seen from here on
		this.signal = new CompletableFuture<>();
		Duration pause = (looks && !this.cancelled) ? waiter.lookOrStandBy() : null;
		if (pause != null) {
			rest(waiter, pause);
		}
		else {
			settle(this::leave);
		}
	}

	/**
	 * Rests until a signal or for some time. The caller must not touch this object
	 * afterwards.
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // What follows the signal does not fail
	private void rest(PatientClaims.Waiter waiter, Duration pause) {
		this.alarm = this.claims.timer().in(pause, this::wakeUp);
		this.signal.thenRun(() -> dispatch(waiter));
	}

	private void wakeUp() {
		this.signal.complete(true);
	}

	/**
	 * Hands the work to an executor: the calling thread may be any thread.
	 */
	private void dispatch(PatientClaims.Waiter waiter) {
		try {
			if (this.cancelled || !waiter.needsStore()) {
				endSoon(() -> goOn(waiter, false));
				return;
			}
			try {
				this.threads.looks().execute(() -> work(() -> goOn(waiter, true)));
			}
			catch (RejectedExecutionException ex) {
				// There was no thread to look on. The wait continues
				this.signal = new CompletableFuture<>();
				if (this.cancelled || waiter.isOver()) {
					endSoon(() -> goOn(waiter, false));
				}
				else {
					rest(waiter, AFTER_REFUSAL);
				}
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

	private void fail(Throwable failure) {
		if (this.waiter != null) {
			FirstFailure.then(failure, this::leave);
		}
		settle(() -> rethrow(failure));
	}

	private static ClaimResult rethrow(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		throw (RuntimeException) failure;
	}

	private ClaimResult leave() {
		PatientClaims.Waiter left = Objects.requireNonNull(this.waiter, "the attempt must be waiting");
		this.waiter = null;
		return left.leave();
	}

	/**
	 * Makes the decision, and delivers it to the handler unless the attempt was
	 * cancelled.
	 */
	private void settle(Supplier<ClaimResult> answer) {
		Decision decision;
		try {
			decision = this.decide.apply(answer);
		}
		catch (Throwable ex) {
			if (!this.cancelled) {
				tell(() -> this.handler.failed(ex));
			}
			return;
		}
		boolean told = !this.cancelled && tell(() -> this.handler.decided(decision));
		if (!told && decision instanceof Decision.Proceed proceed) {
			// Nothing has run: release the key
			tell(proceed.execution()::close);
		}
	}

	private boolean tell(Runnable message) {
		try {
			message.run();
			return true;
		}
		catch (Throwable ex) {
			logger.error("The decision about {} could not be delivered", this.attempt.key(), ex);
			return false;
		}
	}

}
