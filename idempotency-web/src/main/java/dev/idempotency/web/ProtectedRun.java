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
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.web.Admission.Pass;
import dev.idempotency.web.KeySettlement.Interruption;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler that runs under a claim, from the claim to its response. The response is
 * stored when it is final, and then sent. {@link Phase} draws its phases.
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

	private final KeySettlement settlement;

	private final AnswerDelivery delivery;

	private Phase phase = Phase.RUNNING;

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
	private volatile @Nullable HandlerTask task;

	/**
	 * What was settled before the end of the dispatch: with the handler's transaction, or
	 * when its task had streamed the response.
	 */
	private volatile @Nullable SettledAnswer unsent;

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
		this.settlement = new KeySettlement(operation, execution, this.transaction, this.recorder);
		this.delivery = new AnswerDelivery(dispatch, handler, key, this.recorder);
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
		this.settlement.release();
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
		this.settlement.release();
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
		this.settlement.answerIsUnwritable();
		handlerFailed();
	}

	/**
	 * Something ended the response before the handler did.
	 */
	void interrupted(Interruption interruption) {
		this.settlement.interrupted(interruption);
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
		HandlerTask running = this.task;
		if (this.dispatch.isAsync() && (running == null || !running.isRunning())) {
			connectionLost();
		}
	}

	@Override
	public void timedOut() {
		ExchangeResponse response = this.dispatch.response();
		if (!isFlowing() && !response.isCommitted()) {
			this.recorder.writeEffect(response.container(), HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
	}

	/**
	 * The handler's task continues, unless it has not begun, or its response is too large
	 * to store. Whether other handlers continue is unknown.
	 */
	@Override
	public void connectionLost() {
		this.recorder.clientIsGone();
		HandlerTask given = this.task;
		if (given == null || (isFlowing() && !this.recorder.isKept())) {
			keepFact();
		}
		else if (given.abandon()) {
			this.settlement.release();
			settleWithoutClient();
		}
		else if (!given.detach()) {
			if (isFlowing() && given.hasSucceeded()) {
				settleWithoutClient();
			}
			else {
				keepFact();
			}
		}
	}

	private void keepFact() {
		if (become(Phase.SETTLED)) {
			this.settlement.keepFact();
		}
	}

	@Override
	public boolean isDetached() {
		HandlerTask running = this.task;
		return running != null && running.isDetached();
	}

	@Override
	public boolean wasDetached() {
		HandlerTask running = this.task;
		return running != null && running.wasDetached();
	}

	@Override
	public boolean holdBack(HandlerTask.Callback callback) {
		HandlerTask running = this.task;
		return running != null && running.holdBack(callback);
	}

	/**
	 * The handler has returned a task, which has not begun.
	 * @param streaming whether the task writes the whole response itself
	 */
	void taskGiven(boolean streaming) {
		HandlerTask given = this.task;
		if (given == null) {
			given = new HandlerTask();
			this.task = given;
		}
		given.streams(streaming && this.unwrapped && this.detours == null);
	}

	void taskStarted() {
		HandlerTask started = this.task;
		if (started != null) {
			started.started();
		}
	}

	/**
	 * The task has ended. Without a client there may be no dispatch that would say so,
	 * and a container that loses the dispatch must not leave the key in progress.
	 */
	void taskEnded(@Nullable Object result) {
		HandlerTask ended = this.task;
		if (ended == null) {
			return;
		}
		boolean failed = result instanceof Throwable;
		try {
			if (ended.done(!failed) || this.recorder.isClientGone()) {
				settleTask(failed);
			}
			else if (ended.hasStreamed() && isWritten()) {
				settleBeforeDelivery();
			}
		}
		finally {
			tellThatEnded(ended);
		}
	}

	/**
	 * Whether the response is final: its head is sent, and no failure takes its place.
	 */
	private boolean isWritten() {
		boolean empty = this.recorder.isKept() && this.recorder.isEmpty();
		return isFlowing() && !empty && !this.dispatch.response().isErrorSent();
	}

	/**
	 * Settles the key, and leaves the rest of the response to the end of the dispatch.
	 */
	private void settleBeforeDelivery() {
		if (become(Phase.SETTLED)) {
			this.unsent = this.settlement.settle();
		}
	}

	private void settleTask(boolean failed) {
		if (failed) {
			settleFailure();
		}
		else if (this.recorder.isEmpty()) {
			// Without a client, what it has returned is never rendered
			keepFact();
		}
		else {
			settleWithoutClient();
		}
	}

	private void tellThatEnded(HandlerTask task) {
		try {
			task.ended();
		}
		catch (IOException ex) {
			logger.debug("The client of {} has disconnected", this.handler, ex);
		}
	}

	// The end

	@Override
	public synchronized boolean isSettled() {
		return this.phase == Phase.SETTLED || this.phase == Phase.OVER;
	}

	private synchronized boolean isAwaitingError() {
		return this.phase == Phase.AWAITING_ERROR;
	}

	/**
	 * Takes the next step, unless another thread has taken it, or gone further.
	 */
	private synchronized boolean become(Phase next) {
		boolean possible = this.phase.leadsTo(next);
		if (possible) {
			this.phase = next;
		}
		return possible;
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
			settleBeforeDelivery();
		}
		else if (this.transaction.endsWithHandler()) {
			become(Phase.SETTLED);
			logger
				.warn("The response of {} cannot be replayed: a filter inside of the IdempotencyFilter holds it back until "
						+ "after the transaction, which ends with the session that is open in view. Give that filter an order "
						+ "before {}, or switch that session off", this.handler, IdempotencyFilter.DEFAULT_ORDER);
			this.unsent = this.settlement.settleUnseen(ours.getStatus());
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
		SettledAnswer settled = this.unsent;
		if (settled != null) {
			this.unsent = null;
			deliver(settled);
			return;
		}
		if (isDetached() || isSettled()) {
			return;
		}
		failIfFailureWasSwallowed();
		if (!this.dispatch.response().isErrorSent() || !awaitError()) {
			settle(true);
		}
	}

	/**
	 * The container renders the error in a dispatch of its own, unless it has done so.
	 */
	private boolean awaitError() {
		if (!become(Phase.AWAITING_ERROR)) {
			return false;
		}
		this.transaction.rollBack();
		this.recorder.renderInOnePiece();
		return true;
	}

	@Override
	public void completedByHandler() {
		try {
			settle(true);
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
		if (this.unsent != null) {
			this.unsent = null;
			letGo();
		}
		if (!isDetached() && !isSettled()) {
			settleFailure();
		}
	}

	private void settleFailure() {
		this.transaction.rollBack();
		if (this.settlement.countsFailures() && !isFlowing() && awaitError()) {
			return;
		}
		if (!become(Phase.SETTLED)) {
			return;
		}
		try {
			this.settlement.settleFailure();
		}
		finally {
			letGo();
			ExchangeResponse response = this.dispatch.response();
			if (!isFlowing() && !response.isCommitted()) {
				this.recorder.writeEffect(response.container(), HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
			}
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
		HandlerTask given = this.task;
		if (!isAwaitingError() && given != null && given.isUnderWay()) {
			// The container has ended the request before its task: it must not run twice
			connectionLost();
			return;
		}
		if (!isAwaitingError()) {
			failed();
		}
		else if (!this.dispatch.isAsync()) {
			settleWithoutClient();
		}
		if (!isSettled()) {
			this.settlement.letLeaseRunOut();
		}
	}

	@Override
	public void recordNothingMore() {
		this.recorder.endOfRequest();
	}

	private void settleWithoutClient() {
		try {
			settle(false);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Nothing was to be sent", ex);
		}
	}

	private void settle(boolean send) throws IOException {
		if (!become(Phase.SETTLED)) {
			return;
		}
		SettledAnswer settled = this.settlement.settle();
		if (send || settled.failure() != null) {
			deliver(settled);
		}
		else {
			letGo();
		}
	}

	private void deliver(SettledAnswer settled) throws IOException {
		become(Phase.OVER);
		this.delivery.deliver(settled);
	}

	private void letGo() {
		become(Phase.OVER);
		this.dispatch.response().letThrough();
	}

}
