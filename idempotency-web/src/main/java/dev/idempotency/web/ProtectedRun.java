package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.call.Calls;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.http.HandlerTransaction;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.Settlement;
import dev.idempotency.http.Settlement.AfterTimeout;
import dev.idempotency.http.Settlement.End;
import dev.idempotency.web.IdempotencyGate.Pass;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.web.context.request.async.AsyncRequestTimeoutException;

/**
 * A handler that runs under a claim, from the claim to its response. The response is
 * stored when it is final, and then sent.
 */
final class ProtectedRun implements Handling, IdempotencyContext, AnswerRecorder.Client {

	private static final Logger logger = LoggerFactory.getLogger(ProtectedRun.class);

	private final CurrentDispatch dispatch;

	private final Object handler;

	private final IdempotencyKey key;

	/**
	 * There is none on a dry run.
	 */
	private final @Nullable Execution execution;

	private final Steps steps;

	private final HandlerTransaction transaction;

	private final AnswerRecorder recorder;

	private final Settlement settlement;

	private final AnswerDelivery delivery;

	private final RunEnding ending;

	private volatile @Nullable Pass pass;

	/**
	 * Whether the handler writes to our response, and not to a wrapper that may add to it
	 * at the end of the dispatch.
	 */
	private volatile boolean unwrapped;

	/**
	 * Few handlers have any.
	 */
	private @Nullable Detours detours;

	/**
	 * Only handlers that return a task have one.
	 */
	private volatile @Nullable ProtectedTask task;

	/**
	 * Create a run.
	 * @param execution the claim, or {@code null} on a dry run
	 * @param steps the handler's steps, or {@code null} on a dry run
	 */
	ProtectedRun(CurrentDispatch dispatch, ProtectedOperation operation, Object handler, IdempotencyKey key,
			@Nullable Execution execution, @Nullable Steps steps) {
		this.dispatch = dispatch;
		this.handler = handler;
		this.key = key;
		this.execution = execution;
		this.steps = (steps != null) ? steps : Calls.unprotectedSteps(this);
		this.transaction = operation.transactional() ? new HandlerTransaction() : HandlerTransaction.NONE;
		this.recorder = new AnswerRecorder(dispatch, operation, this.transaction, execution == null, this);
		this.settlement = new Settlement(operation, execution, this.transaction);
		this.delivery = new AnswerDelivery(dispatch, handler, key, this.recorder);
		this.ending = new RunEnding(dispatch, this.transaction, this.recorder, this.settlement, this.delivery);
	}

	@Override
	public boolean isUndecided() {
		return false;
	}

	@Override
	public boolean isRun() {
		return true;
	}

	@Override
	public void recordOn(ExchangeResponse response) {
		if (!isSettled() && !this.recorder.recordOn(response)) {
			logger.warn("The response of {} cannot be recorded or replayed: a filter has asked for the body of the "
					+ "response before the handler did", this.handler);
		}
	}

	@Override
	public void continueOn(ExchangeResponse response) {
		this.recorder.continueOn(response);
	}

	// What the handler knows and says

	@Override
	public IdempotencyKey key() {
		return this.key;
	}

	@Override
	public int attempt() {
		return (this.execution != null) ? this.execution.attempt() : 1;
	}

	@Override
	public void effect(Effect effect) {
		this.recorder.effect(effect);
	}

	@Override
	public void doNotStore() {
		this.settlement.doNotStore();
	}

	@Override
	public Steps steps() {
		return this.steps;
	}

	/**
	 * Runs the handler in a transaction, which ends before the response is sent.
	 */
	void runIn(Transaction transaction) {
		this.transaction.begun(transaction);
	}

	/**
	 * Asynchronous work runs outside of the handler's transaction.
	 */
	@Override
	public void requireFreeToLeaveDispatch() {
		if (this.transaction.isActive() || this.execution == null) {
			throw new IllegalStateException("This handler runs in a transaction and answers asynchronously, outside of "
					+ "it: leave transactional = true (or, on a dry run, dryRun = ROLLBACK) out");
		}
	}

	// What becomes of the handler

	/**
	 * Keeps what is to be done when the handler has returned.
	 */
	void keep(Pass pass) {
		this.pass = pass;
	}

	/**
	 * The handler has returned, on its thread.
	 */
	void handlerReturned() {
		Pass kept = this.pass;
		if (kept != null) {
			this.pass = null;
			kept.handlerReturned();
		}
	}

	/**
	 * The handler is about to run.
	 * @param response where it writes to
	 */
	void handlerBegins(HttpServletResponse response) {
		this.unwrapped = response == this.dispatch.response();
	}

	/**
	 * The handler includes another one, or forwards to it.
	 */
	void detourBegun(Object handler) {
		if (this.detours == null) {
			this.detours = new Detours();
		}
		this.detours.begun(handler);
	}

	/**
	 * Whether what has returned was such a detour.
	 */
	boolean isDetourEnded(Object handler) {
		return this.detours != null && this.detours.isEnded(handler);
	}

	/**
	 * The handler did not begin: there is nothing to store.
	 */
	void handlerNotReached() {
		if (this.detours != null && this.detours.areUnderWay()) {
			// The handler that has forwarded did begin
			return;
		}
		this.recorder.handlerNotReached();
		this.settlement.doNotStore();
	}

	/**
	 * The handler has ended with an exception. The response to it is not streamed.
	 */
	void handlerFailed() {
		if (this.detours != null && this.detours.areUnderWay()) {
			// What the handler still does belongs to the same transaction
			this.detours.failed();
		}
		else {
			this.transaction.rollBack();
		}
		this.recorder.renderInOnePiece();
	}

	/**
	 * What the handler has returned could not be written.
	 */
	void answerFailed() {
		this.settlement.resultIsUnwritable();
		handlerFailed();
	}

	/**
	 * Something ended the response before the handler did.
	 */
	void interrupted(End end) {
		this.ending.interrupted(end);
	}

	boolean isFlowing() {
		return this.recorder.isFlowing();
	}

	boolean isEndless() {
		return this.recorder.isEndless();
	}

	@Override
	public boolean isCut() {
		return this.delivery.isCut();
	}

	@Override
	public void failIfCut() throws IOException {
		this.delivery.failIfCut();
	}

	// What becomes of the client

	/**
	 * Outside of a dispatch this may be the last call for this request: containers do not
	 * always notify their listeners.
	 */
	@Override
	public void clientLost() {
		ProtectedTask running = this.task;
		if (this.dispatch.isAsync() && (running == null || !running.state().isRunning())) {
			connectionLost(0);
		}
	}

	@Override
	public void timedOut(boolean answeredByContainer) {
		ProtectedTask running = this.task;
		if (!isSettled() && (running == null || running.state().isUnderWay())) {
			this.settlement.timedOut(() -> (running != null) ? running.state().leave() : AfterTimeout.UNKNOWN);
			this.recorder.effectIsUnknown(!this.settlement.countsFailures());
		}
		if (answeredByContainer) {
			this.ending.writeEffectOfFailure();
		}
	}

	/**
	 * The handler has ended in spite of the timeout.
	 */
	private void respondedInTime() {
		this.settlement.respondedInTime();
		this.recorder.effectIsUnknown(false);
	}

	@Override
	public void taskFailed(Throwable failure) {
		logger.error("A task of {} has failed", this.handler, failure);
		if (!isSettled()) {
			this.delivery.failLater((failure instanceof RuntimeException exception) ? exception
					: new IllegalStateException("A task of %s has failed".formatted(this.handler), failure));
		}
	}

	/**
	 * Whether a handler without a task continues is unknown.
	 */
	@Override
	public void connectionLost(long timeout) {
		this.recorder.clientIsGone();
		ProtectedTask given = this.task;
		if (given != null) {
			given.connectionLost(timeout);
		}
		else {
			this.ending.keepFact();
		}
	}

	// What becomes of its task

	/**
	 * The handler has returned a task, which has not begun.
	 * @param streaming whether the task writes the whole response itself
	 * @param deferred whether the handler sets its result from elsewhere
	 */
	void taskGiven(boolean streaming, boolean deferred) {
		ProtectedTask given = this.task;
		if (given == null) {
			given = new ProtectedTask(this.dispatch, this.handler, this.recorder, this.settlement, this.ending,
					deferred);
			this.task = given;
		}
		given.state().streams(streaming && this.unwrapped && this.detours == null);
	}

	void taskStarted() {
		ProtectedTask started = this.task;
		if (started != null) {
			started.state().started();
		}
	}

	void taskEnded(@Nullable Object result) {
		ProtectedTask ended = this.task;
		if (ended != null) {
			ended.ended(result);
		}
	}

	/**
	 * The result of the handler is set, or has timed out.
	 */
	void resultSet(@Nullable Object result) {
		ProtectedTask deferred = this.task;
		if (deferred == null) {
			return;
		}
		if (result instanceof AsyncRequestTimeoutException) {
			deferred.state().endIsUntold();
		}
		else {
			respondedInTime();
			deferred.ended(result);
		}
	}

	@Override
	public boolean isDetached() {
		ProtectedTask running = this.task;
		return running != null && running.state().isDetached();
	}

	@Override
	public boolean wasDetached() {
		ProtectedTask running = this.task;
		return running != null && running.state().wasDetached();
	}

	@Override
	public boolean holdBack(HandlerTask.Callback callback) {
		ProtectedTask running = this.task;
		return running != null && running.state().holdBack(callback);
	}

	// The end

	@Override
	public boolean isSettled() {
		return this.ending.isSettled();
	}

	/**
	 * The response of the handler is rendered, and its transaction has to end: what its
	 * thread is bound to, such as the session of an ORM, may end next.
	 * @param response where the handler wrote to
	 */
	void answerRendered(HttpServletResponse response) {
		failIfFailureWasSwallowed();
		if (!this.transaction.isActive() || isSettled()) {
			return;
		}
		ExchangeResponse ours = this.dispatch.response();
		if (ours.isErrorSent() || (this.detours != null && this.detours.haveFailed())) {
			this.transaction.rollBack();
		}
		else if (response == ours) {
			this.ending.settleBeforeDelivery();
		}
		else if (this.transaction.endsWithHandler()) {
			logger
				.warn("The response of {} cannot be replayed: a filter inside of the IdempotencyFilter holds it back until "
						+ "after the transaction, which ends with the session that is open in view. Give that filter an order "
						+ "before {}, or switch that session off", this.handler, IdempotencyFilter.DEFAULT_ORDER);
			this.ending.settleUnseen();
		}
		// Otherwise at the end of the dispatch, when a filter that holds the response has
		// passed it on
	}

	/**
	 * A response that is empty because of a failure must neither be stored nor sent.
	 */
	private void failIfFailureWasSwallowed() {
		if (!isSettled() && this.recorder.isEmpty()) {
			SwallowedFailure.reveal(this.dispatch, this.handler);
		}
	}

	@Override
	public void endOfDispatch() throws IOException {
		if (this.ending.deliverUnsent() || isDetached() || isSettled()) {
			return;
		}
		failIfFailureWasSwallowed();
		if (!this.dispatch.response().isErrorSent() || !this.ending.awaitError()) {
			this.ending.settle();
		}
	}

	@Override
	public void completedByHandler() {
		if (this.task == null) {
			respondedInTime();
		}
		try {
			this.ending.settle();
		}
		catch (IOException ex) {
			logger.debug("The client of {} has disconnected", this.handler, ex);
		}
		catch (RuntimeException ex) {
			// This thread has no dispatch that could fail
			this.delivery.failLater(ex);
		}
	}

	@Override
	public void failed() {
		this.ending.dropUnsent();
		if (!isDetached() && !isSettled()) {
			this.ending.settleFailure();
		}
	}

	/**
	 * If the container had to render an error and did not, no client has seen its body.
	 * After asynchronous processing, containers call this too early: the error may still
	 * be rendered, or never.
	 */
	@Override
	public void requestIsOver() {
		try {
			settleAtTheEnd();
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, this.settlement::letLeaseRunOut);
			throw ex;
		}
	}

	private void settleAtTheEnd() {
		this.transaction.rollBack();
		if (isDetached() || isSettled()) {
			return;
		}
		ProtectedTask given = this.task;
		boolean awaitingError = this.ending.isAwaitingError();
		if (!awaitingError && given != null && given.state().isUnderWay()) {
			// The container has ended the request before its task: it must not run twice
			connectionLost(0);
			return;
		}
		if (!awaitingError) {
			failed();
		}
		else if (!this.dispatch.isAsync()) {
			this.ending.settleWithoutClient();
		}
		if (!isSettled() && !this.settlement.isLeftToTask()) {
			this.settlement.letLeaseRunOut();
		}
	}

	@Override
	public void recordNothingMore() {
		this.recorder.endOfRequest();
	}

}
