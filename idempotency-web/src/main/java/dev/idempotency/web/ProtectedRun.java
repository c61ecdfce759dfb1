package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.StoredAnswers;
import dev.idempotency.call.Calls;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.web.Admission.Pass;
import dev.idempotency.web.AnswerRecorder.Recorded;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler that runs under a claim, from the claim to the answer. The answer is stored
 * when it is final, and then sent.
 */
final class ProtectedRun implements IdempotencyContext {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyFilter.class);

	private final Exchange exchange;

	private final ProtectedOperation operation;

	private final Object handler;

	private final IdempotencyKey key;

	/**
	 * There is none on a dry run.
	 */
	private final @Nullable Execution execution;

	private final Steps steps;

	private final AnswerRecorder recorder;

	private final HandlerTask task = new HandlerTask();

	private final HandlerTransaction transaction = new HandlerTransaction();

	private final HandlerCompletion completion;

	private final AnswerDelivery delivery;

	private volatile @Nullable Pass pass;

	private volatile boolean released;

	private volatile @Nullable Interruption interruption;

	/**
	 * The handler has done its work, and nobody can write what it returned.
	 */
	private boolean unwritable;

	private boolean errorPending;

	/**
	 * What the handler has included, or forwarded to, and what has not returned yet.
	 */
	private @Nullable Detour detour;

	private boolean detourFailed;

	private boolean settled;

	/**
	 * What was settled with the handler's transaction, before the end of the dispatch.
	 */
	private @Nullable SettledAnswer pending;

	ProtectedRun(Exchange exchange, ProtectedOperation operation, Object handler, Execution execution, Steps steps) {
		this(exchange, operation, handler, execution.key(), execution, steps);
	}

	/**
	 * The dry run of a handler.
	 */
	ProtectedRun(Exchange exchange, ProtectedOperation operation, Object handler, IdempotencyKey key) {
		this(exchange, operation, handler, key, null, null);
	}

	private ProtectedRun(Exchange exchange, ProtectedOperation operation, Object handler, IdempotencyKey key,
			@Nullable Execution execution, @Nullable Steps steps) {
		this.exchange = exchange;
		this.operation = operation;
		this.handler = handler;
		this.key = key;
		this.execution = execution;
		this.steps = (steps != null) ? steps : Calls.unprotectedSteps(this);
		this.completion = new HandlerCompletion(execution, this.transaction);
		this.recorder = new AnswerRecorder(exchange, operation, this);
		this.delivery = new AnswerDelivery(exchange, operation, handler, key, this.recorder);
	}

	void recordOn(ExchangeResponse response) {
		if (!isSettled() && !this.recorder.recordOn(response)) {
			logger.warn("The answer of {} is written past its record and cannot be replayed: a filter has asked "
					+ "for the body of the response before the handler did", this.handler);
		}
	}

	/**
	 * Goes on with the record, on another response.
	 */
	void continueOn(ExchangeResponse response) {
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
		this.released = true;
	}

	@Override
	public Steps steps() {
		return this.steps;
	}

	boolean isDryRun() {
		return this.execution == null;
	}

	/**
	 * Runs the handler in a transaction, which ends before the answer leaves.
	 */
	void runIn(Transaction transaction) {
		this.transaction.begun(transaction);
	}

	boolean isInTransaction() {
		return this.transaction.isActive();
	}

	boolean isRolledBack() {
		return this.transaction.isRolledBack();
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
	 * The handler includes another one, or forwards to it. Whatever becomes of that one,
	 * only its own return ends this one.
	 */
	void detourBegun(Object handler) {
		this.detour = new Detour(handler, this.detour);
	}

	/**
	 * Whether what has returned was such a detour. The innermost one is the first to
	 * return.
	 */
	boolean isDetourEnded(Object handler) {
		for (Detour each = this.detour; each != null; each = each.outer()) {
			if (each.handler() == handler) {
				this.detour = each.outer();
				return true;
			}
		}
		return false;
	}

	/**
	 * The handler did not even begin: there is nothing to remember.
	 */
	void handlerNotReached() {
		if (this.detour != null) {
			// But the one that has forwarded there
			return;
		}
		this.recorder.handlerNotReached();
		this.released = true;
	}

	/**
	 * The handler has ended with an exception: what others make of it is not streamed.
	 */
	void handlerFailed() {
		if (this.detour != null) {
			// What the handler still does belongs to the same transaction
			this.detourFailed = true;
		}
		else {
			this.transaction.rollBack();
		}
		this.recorder.renderInOnePiece();
	}

	/**
	 * What the handler has returned could not be written. It has run, and must not run
	 * again, unless its work can be undone.
	 */
	void answerFailed() {
		this.unwritable = !this.transaction.isActive() && !this.transaction.isRolledBack();
		handlerFailed();
	}

	/**
	 * Something ended the answer before the handler did.
	 */
	void interrupted(Interruption interruption) {
		this.interruption = interruption;
	}

	boolean isFlowing() {
		return this.recorder.isFlowing();
	}

	boolean isEndless() {
		return this.recorder.isEndless();
	}

	/**
	 * Whether the answer is on its way to the client and must not come to its end.
	 */
	boolean isCut() {
		return this.delivery.isCut();
	}

	/**
	 * Fails if it must not.
	 */
	void failIfCut() throws IOException {
		this.delivery.failIfCut();
	}

	// What becomes of the client

	/**
	 * Outside of a dispatch this may be the last that anyone hears of the request:
	 * containers tell their listeners, but not always.
	 */
	void clientLost() {
		if (this.exchange.isAsync() && !this.task.isRunning()) {
			connectionLost();
		}
	}

	/**
	 * The connection of an asynchronous request is broken. The handler's task goes on if
	 * there is a retry to write for; but of other handlers nobody knows whether they do.
	 */
	void connectionLost() {
		this.recorder.clientIsGone();
		boolean replayable = isFlowing() && this.recorder.isKept();
		if (replayable && this.task.detach()) {
			return;
		}
		if (replayable && this.task.hasSucceeded()) {
			settleWithoutClient();
		}
		else if (beginToSettle()) {
			this.completion.keep(null);
		}
	}

	boolean isDetached() {
		return this.task.isDetached();
	}

	boolean wasDetached() {
		return this.task.wasDetached();
	}

	boolean holdBack(HandlerTask.Callback callback) {
		return this.task.holdBack(callback);
	}

	void taskStarted() {
		this.task.started();
	}

	/**
	 * The task has come to its end. Without a client there may be no dispatch that would
	 * say so.
	 */
	void taskEnded(@Nullable Object result) {
		try {
			if (this.recorder.isClientGone()) {
				if (result instanceof Throwable) {
					settleFailure();
				}
				else {
					settleWithoutClient();
				}
			}
		}
		finally {
			tellThatTaskEnded(!(result instanceof Throwable));
		}
	}

	private void tellThatTaskEnded(boolean success) {
		try {
			this.task.ended(success);
		}
		catch (IOException ex) {
			logger.debug("The client of {} is gone", this.handler, ex);
		}
	}

	// The end

	/**
	 * The answer of the handler is rendered, and its transaction has to end: what its
	 * thread is bound to, such as the session of an ORM, may end next.
	 * @param response where the handler's answer went
	 */
	void answerRendered(HttpServletResponse response) {
		failIfFailureWasSwallowed();
		if (!this.transaction.isActive() || isSettled()) {
			return;
		}
		if (this.exchange.response().isErrorSent() || this.detourFailed) {
			this.transaction.rollBack();
		}
		else if (response == this.exchange.response()) {
			beginToSettle();
			this.pending = settleNow();
		}
		else if (this.transaction.endsWithHandler()) {
			beginToSettle();
			this.pending = settleUnseen();
		}
		// Otherwise at the end of the dispatch, when a filter that holds the answer has
		// passed it on
	}

	/**
	 * An answer that is empty because of a failure must neither be kept nor seen.
	 */
	private void failIfFailureWasSwallowed() {
		if (!isSettled() && this.recorder.isEmpty()) {
			SwallowedFailure.reveal(this.exchange, this.handler);
		}
	}

	/**
	 * A filter holds the answer, and the transaction cannot wait for it.
	 */
	private SettledAnswer settleUnseen() {
		logger
			.warn("The answer of {} cannot be replayed: a filter inside of the IdempotencyFilter holds it back, and the "
					+ "transaction ends before that, with the session that is open in view. Give that filter an order before "
					+ "{}, or set spring.jpa.open-in-view=false", this.handler, IdempotencyFilter.DEFAULT_ORDER);
		try {
			int status = this.exchange.response().getStatus();
			boolean stored = this.recorder.isToBeStored(status) && !this.released;
			return new SettledAnswer(null, stored ? this.completion.keep(null) : this.completion.giveBack(status < 400),
					null);
		}
		catch (Throwable ex) {
			return notSettled(ex);
		}
	}

	void endOfDispatch() throws IOException {
		SettledAnswer before = this.pending;
		if (before != null) {
			this.pending = null;
			this.delivery.deliver(before);
			return;
		}
		if (isDetached() || isSettled()) {
			return;
		}
		failIfFailureWasSwallowed();
		if (this.exchange.response().isErrorSent() && !this.errorPending) {
			awaitError();
			return;
		}
		settle(true);
	}

	/**
	 * The container renders the error in a dispatch of its own.
	 */
	private void awaitError() {
		this.transaction.rollBack();
		this.errorPending = true;
		this.recorder.renderInOnePiece();
	}

	void completedByHandler() {
		try {
			settle(true);
		}
		catch (IOException ex) {
			logger.debug("The client of {} is gone", this.handler, ex);
		}
		catch (RuntimeException ex) {
			// Nobody answers for the thread that this is
			this.delivery.failLater(ex);
		}
	}

	void failed() {
		if (this.pending != null) {
			this.pending = null;
			this.exchange.response().letThrough();
		}
		if (!isDetached() && !isSettled()) {
			settleFailure();
		}
	}

	private void settleFailure() {
		this.transaction.rollBack();
		boolean countsAsAnswer = this.operation.store() == StoredAnswers.ALL;
		if (countsAsAnswer && !isFlowing() && !this.errorPending) {
			awaitError();
			return;
		}
		if (!beginToSettle()) {
			return;
		}
		try {
			if (countsAsAnswer || isCutOff() || (this.unwritable && !this.released)) {
				this.completion.keep(null);
			}
			else {
				this.completion.giveBack(false);
			}
		}
		finally {
			ExchangeResponse response = this.exchange.response();
			response.letThrough();
			if (!isFlowing() && !response.isCommitted()) {
				this.recorder.writeEffect(response.container(), HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
			}
		}
	}

	/**
	 * The container is done with the request. If it was to render an error, and did not,
	 * nobody has seen its body. But after asynchronous processing it says so too early:
	 * the error may still be rendered, or never.
	 */
	void requestIsOver() {
		try {
			settleAtTheEnd();
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, this.completion::letLeaseRunOut);
			throw ex;
		}
	}

	private void settleAtTheEnd() {
		this.transaction.rollBack();
		if (isDetached() || isSettled()) {
			return;
		}
		if (!this.errorPending) {
			failed();
		}
		else if (!this.exchange.isAsync()) {
			settleWithoutClient();
		}
		if (!isSettled()) {
			this.completion.letLeaseRunOut();
		}
	}

	/**
	 * Whoever still writes is told that nobody reads it.
	 */
	void recordNothingMore() {
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
		if (!beginToSettle()) {
			return;
		}
		SettledAnswer now = settleNow();
		if (send || now.failure() != null) {
			this.delivery.deliver(now);
		}
		else {
			this.exchange.response().letThrough();
		}
	}

	private SettledAnswer settleNow() {
		try {
			Recorded answer = this.recorder.end();
			return new SettledAnswer(answer, complete(answer), null);
		}
		catch (Throwable ex) {
			// The application's own policy, most likely
			return notSettled(ex);
		}
	}

	private SettledAnswer notSettled(Throwable failure) {
		FirstFailure.then(failure, this.completion::giveUp);
		return new SettledAnswer(null, null, failure);
	}

	private @Nullable Completion complete(Recorded answer) {
		if (isCutOff()) {
			return this.completion.keep(null);
		}
		if (!answer.isToBeStored() || this.released || this.interruption == Interruption.FAILURE) {
			return (this.unwritable && !this.released) ? this.completion.keep(null)
					: this.completion.giveBack(answer.isSuccess());
		}
		return this.completion.keep((this.recorder.isKept() && !isDryRun()) ? answer.encode() : null);
	}

	/**
	 * Whether the answer has no proper end, and the handler must not run again all the
	 * same: the client hung up in the middle of an answer of which nothing is kept, or a
	 * failure counts as an answer too.
	 */
	private boolean isCutOff() {
		if (this.recorder.isClientGone() && !this.recorder.isKept()) {
			return true;
		}
		return (this.interruption == Interruption.FAILURE) ? this.operation.store() == StoredAnswers.ALL
				: this.interruption == Interruption.CLIENT_GONE;
	}

	synchronized boolean isSettled() {
		return this.settled;
	}

	private synchronized boolean beginToSettle() {
		boolean first = !this.settled;
		this.settled = true;
		return first;
	}

	/**
	 * A handler inside of another one's dispatch.
	 *
	 * @param handler the handler
	 * @param outer the one that has called it in turn, if it is not the run's own
	 */
	private record Detour(Object handler, @Nullable Detour outer) {
	}

	/**
	 * What ends an answer before its time.
	 */
	enum Interruption {

		/**
		 * Its client hung up, and the handler was stopped.
		 */
		CLIENT_GONE,

		/**
		 * The handler failed, or took too long, after the head was sent.
		 */
		FAILURE

	}

}
