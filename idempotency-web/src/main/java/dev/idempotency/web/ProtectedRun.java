package dev.idempotency.web;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.call.Calls;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.http.HandlerTransaction;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.Settlement;
import dev.idempotency.http.Settlement.AfterTimeout;
import dev.idempotency.http.Settlement.End;
import dev.idempotency.web.AnswerRecorder.Recorded;
import dev.idempotency.web.AnswerRecorder.Settled;
import dev.idempotency.web.IdempotencyGate.Pass;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.servlet.ModelAndView;

/**
 * A handler that runs under a claim, from the claim to its response. The response is
 * stored when it is final, and then sent.
 */
final class ProtectedRun implements IdempotencyContext {

	private static final Logger logger = LoggerFactory.getLogger(ProtectedRun.class);

	private final Exchange exchange;

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

	private volatile @Nullable Pass pass;

	/**
	 * Whether the handler writes to our response, and not to a wrapper that may add to it
	 * at the end of the dispatch.
	 */
	private volatile boolean unwrapped;

	/**
	 * The handlers that the handler has included, or forwarded to, and that have not
	 * returned yet. The handler ends only with its own return.
	 */
	private @Nullable Detour innermostDetour;

	private boolean detoured;

	private boolean detourFailed;

	private Phase phase = Phase.RUNNING;

	/**
	 * How the response ends.
	 */
	private volatile End end = End.RESPONDED;

	/**
	 * What was settled before the end of the dispatch: with the handler's transaction, or
	 * when its task had streamed the response.
	 */
	private volatile @Nullable Settled unsent;

	private TaskState task = TaskState.NONE;

	/**
	 * Whether the handler sets its result from elsewhere.
	 */
	private boolean taskDeferred;

	/**
	 * Whether the task writes the whole response itself, so that nothing is left to
	 * render when it is done.
	 */
	private boolean taskStreaming;

	private boolean taskSucceeded;

	/**
	 * What the task has returned or thrown.
	 */
	private @Nullable Object taskResult;

	/**
	 * Whether the thread of the task settles the key, because no dispatch follows.
	 */
	private boolean taskSettles;

	/**
	 * Whether the task continues without its client.
	 */
	private boolean taskDetached;

	/**
	 * Whether the task continues after the response to a timeout, and its end settles the
	 * key.
	 */
	private boolean keyLeftToTask;

	/**
	 * Whether asynchronous processing has timed out, and nothing will tell of the end of
	 * the task.
	 */
	private boolean taskEndUntold;

	/**
	 * Callbacks of the container that wait for a detached task.
	 */
	private List<IOAction> heldBack = List.of();

	/**
	 * Create a run.
	 * @param execution the claim, or {@code null} on a dry run
	 * @param steps the handler's steps, or {@code null} on a dry run
	 * @param expires until when the response is remembered, or {@code null} if it is not
	 * told
	 */
	ProtectedRun(Exchange exchange, ProtectedOperation operation, Object handler, IdempotencyKey key,
			@Nullable Execution execution, @Nullable Steps steps, @Nullable Instant expires) {
		this.exchange = exchange;
		this.handler = handler;
		this.key = key;
		this.execution = execution;
		this.steps = (steps != null) ? steps : Calls.unprotectedSteps(this);
		this.transaction = operation.transactional() ? new HandlerTransaction() : HandlerTransaction.NONE;
		this.recorder = new AnswerRecorder(exchange, operation, this.transaction, this);
		this.settlement = new Settlement(operation, execution, this.transaction, expires);
	}

	/**
	 * Until when the response is remembered, if it is told.
	 */
	@Nullable String expires() {
		return this.settlement.expires();
	}

	Object handler() {
		return this.handler;
	}

	boolean isDryRun() {
		return this.execution == null;
	}

	/**
	 * Records on the response of another dispatch.
	 */
	void recordOn(ExchangeResponse response) {
		if (!isSettled() && !this.recorder.recordOn(response)) {
			logger.warn("The response of {} cannot be recorded or replayed: a filter has asked for the body of the "
					+ "response before the handler did", this.handler);
		}
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
	public void outcomeUnknown() {
		this.settlement.outcomeUnknown();
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
	 * Fails if the handler must not continue outside of its dispatch: asynchronous work
	 * runs outside of the handler's transaction.
	 */
	void requireFreeToLeaveDispatch() {
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
		this.unwrapped = response == this.exchange.response();
	}

	/**
	 * The handler includes another one, or forwards to it.
	 */
	void detourBegun(Object handler) {
		this.detoured = true;
		this.innermostDetour = new Detour(handler, this.innermostDetour);
	}

	/**
	 * Whether what has returned was such a detour. The innermost one returns first.
	 */
	boolean isDetourEnded(Object handler) {
		for (Detour each = this.innermostDetour; each != null; each = each.outer()) {
			if (each.handler() == handler) {
				this.innermostDetour = each.outer();
				return true;
			}
		}
		return false;
	}

	/**
	 * The handler did not begin: there is nothing to store.
	 */
	void handlerNotReached() {
		if (this.innermostDetour != null) {
			// The handler that has forwarded did begin
			return;
		}
		this.recorder.handlerNotReached();
		this.settlement.doNotStore();
	}

	/**
	 * The handler has ended with an exception. The response to it is not streamed.
	 */
	void handlerFailed(Throwable failure) {
		workFailed(failure);
		undoWork();
	}

	/**
	 * The handler has failed, perhaps after a part of its response was sent.
	 */
	void workFailed(Throwable failure) {
		this.settlement.handlerFailed(failure);
	}

	/**
	 * The response to a failure is not streamed.
	 */
	void undoWork() {
		if (this.innermostDetour != null) {
			// What the handler still does belongs to the same transaction
			this.detourFailed = true;
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
		undoWork();
	}

	/**
	 * The response ended before the handler finished it. That is not so once a thread
	 * settles the key: the task of the handler may have finished its response, while the
	 * container still reports that the client has disconnected.
	 */
	synchronized void interrupted(End end) {
		if (!isSettled()) {
			this.end = end;
		}
	}

	boolean isFlowing() {
		return this.recorder.isFlowing();
	}

	boolean isEndless() {
		return this.recorder.isEndless();
	}

	/**
	 * Whether the response must not be finished: the next dispatch fails instead.
	 */
	boolean isCut() {
		return this.recorder.isCut();
	}

	/**
	 * Fails if the response must not be finished.
	 */
	void failIfCut() throws IOException {
		this.recorder.failIfCut();
	}

	// What becomes of the client

	/**
	 * Outside of a dispatch this may be the last call for this request: containers do not
	 * always notify their listeners.
	 */
	void clientLost() {
		if (this.exchange.isAsync() && !isTaskRunning()) {
			connectionLost();
		}
	}

	/**
	 * The connection of an asynchronous request is broken. A task continues, unless it
	 * has not begun, or its response is too large to store. Whether a handler without a
	 * task continues is unknown.
	 */
	void connectionLost() {
		this.recorder.clientIsGone();
		if (hasNoTask() || (isFlowing() && !this.recorder.isKept())) {
			keepFact();
		}
		else if (abandonTask()) {
			this.settlement.doNotStore();
			settleWithoutClient();
		}
		else if (detachTask()) {
			giveUpAfter(this.exchange.request().asyncTimeout());
		}
		else if (hasTaskFailed()) {
			settleFailedTask();
		}
		else if (isFlowing() && hasTaskSucceeded()) {
			settleWithoutClient();
		}
		else {
			keepFact();
		}
	}

	/**
	 * The response is too large to be stored, and has no client. An emitter learns so
	 * when it sends, and may not tell of its end then.
	 */
	void outgrown() {
		if (this.taskDeferred && detachTask()) {
			keepFact();
			runHeldBack();
		}
	}

	/**
	 * One thread alone renders the failure.
	 */
	private void settleFailedTask() {
		Object failure;
		synchronized (this) {
			if (this.taskSettles) {
				return;
			}
			failure = this.taskResult;
		}
		settleWithoutDispatch(true, failure);
	}

	/**
	 * Over HTTP/2, the container ends a request whose client is gone, and nothing limits
	 * the wait for a result that nobody sets.
	 */
	private void giveUpAfter(long timeout) {
		if (this.taskDeferred && timeout > 0) {
			CompletableFuture.delayedExecutor(timeout, TimeUnit.MILLISECONDS).execute(() -> {
				if (isDetached()) {
					this.settlement.letLeaseRunOut();
				}
			});
		}
	}

	/**
	 * Asynchronous processing has timed out, and the work may continue.
	 */
	void timedOut() {
		if (!isSettled() && (hasNoTask() || isTaskUnderWay())) {
			this.settlement.timedOut(this::afterTimeout);
			this.recorder.effectIsUnknown(!this.settlement.countsFailures());
		}
		if (this.exchange.rules().ends().errorsAreForwarded()) {
			// The container may respond by itself, without another dispatch
			writeEffectOfFailure();
		}
	}

	/**
	 * What the work does after the response to a timeout. If a task runs, the key is left
	 * to it.
	 */
	private synchronized AfterTimeout afterTimeout() {
		return switch (this.task) {
			case NONE -> AfterTimeout.UNKNOWN;
			case GIVEN, ABANDONED -> {
				this.task = TaskState.ABANDONED;
				yield AfterTimeout.FAILED;
			}
			case RUNNING -> {
				this.keyLeftToTask = !this.taskEndUntold;
				this.taskDetached |= this.keyLeftToTask;
				yield this.keyLeftToTask ? AfterTimeout.CONTINUES : AfterTimeout.UNKNOWN;
			}
			case DONE, ENDED -> this.taskSucceeded ? AfterTimeout.SUCCEEDED : AfterTimeout.FAILED;
		};
	}

	/**
	 * The handler has ended in spite of the timeout.
	 */
	private void respondedInTime() {
		this.settlement.respondedInTime();
		this.recorder.effectIsUnknown(false);
	}

	/**
	 * A task that was given to the container has failed, outside of any dispatch.
	 */
	void startedTaskFailed(Throwable failure) {
		logger.error("A task of {} has failed", this.handler, failure);
		if (!isSettled()) {
			this.recorder.failLater((failure instanceof RuntimeException exception) ? exception
					: new IllegalStateException("A task of %s has failed".formatted(this.handler), failure));
		}
	}

	// What becomes of its task

	/**
	 * The handler has returned a task, which has not begun.
	 * @param streaming whether the task writes the whole response itself
	 * @param deferred whether the handler sets its result from elsewhere
	 */
	synchronized void taskGiven(boolean streaming, boolean deferred) {
		if (this.task == TaskState.NONE) {
			this.task = TaskState.GIVEN;
			this.taskDeferred = deferred;
		}
		// Where its events are stored, an emitter writes the whole response, too
		this.taskStreaming = (streaming || (deferred && this.recorder.storesEvents())) && this.unwrapped
				&& !this.detoured;
	}

	/**
	 * The task begins.
	 * @throws CancellationException if it was abandoned
	 */
	synchronized void taskStarted() {
		if (this.task == TaskState.ABANDONED) {
			throw new CancellationException("The client is gone, and its retry may run already");
		}
		if (this.task != TaskState.NONE) {
			this.task = TaskState.RUNNING;
		}
	}

	/**
	 * The result of the handler is set, or has timed out.
	 */
	void resultSet(@Nullable Object result) {
		// An emitter that ends with its timeout has not sent all
		boolean cutOff = result == null && this.recorder.storesEvents() && this.settlement.isTimedOut();
		if (cutOff || result instanceof AsyncRequestTimeoutException) {
			synchronized (this) {
				this.taskEndUntold = true;
			}
			if (cutOff) {
				interrupted(End.BROKEN_OFF);
			}
			return;
		}
		respondedInTime();
		taskEnded(result);
	}

	/**
	 * The task has ended. Without a client there may be no dispatch that would say so,
	 * and a container that loses the dispatch must not leave the key in progress.
	 */
	void taskEnded(@Nullable Object result) {
		if (hasNoTask()) {
			return;
		}
		boolean failed = result instanceof Throwable || isResponseNotToBeStored(result);
		try {
			settleTask(failed, result);
		}
		finally {
			runHeldBack();
		}
	}

	private void settleTask(boolean failed, @Nullable Object result) {
		boolean left;
		boolean settles;
		boolean streamed;
		synchronized (this) {
			if (this.task == TaskState.RUNNING) {
				this.task = TaskState.DONE;
			}
			this.taskSucceeded = !failed;
			this.taskResult = result;
			if (result instanceof Throwable failure) {
				workFailed(failure);
			}
			this.taskSettles = this.taskDetached || this.recorder.isClientGone();
			left = this.keyLeftToTask;
			settles = this.taskSettles;
			streamed = this.taskStreaming && this.taskSucceeded;
		}
		if (left) {
			this.settlement.settleAfterTimeout(!failed);
		}
		else if (settles) {
			settleWithoutDispatch(failed, result);
		}
		else if (streamed && isWritten()) {
			settleBeforeDelivery();
		}
	}

	/**
	 * Without a client, no status is written that would tell.
	 */
	private boolean isResponseNotToBeStored(@Nullable Object result) {
		return result instanceof ResponseEntity<?> entity
				&& !this.recorder.isToBeStored(entity.getStatusCode().value());
	}

	private void settleWithoutDispatch(boolean failed, @Nullable Object result) {
		if (failed && result instanceof Exception exception && this.recorder.isEmpty()) {
			settleException(exception);
		}
		else if (failed) {
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

	/**
	 * Renders the exception as the application would for a client: if that is a response
	 * to be stored, the handler does not run again.
	 */
	private void settleException(Exception exception) {
		ExchangeResponse response = this.exchange.response();
		ModelAndView rendered = render(exception, response);
		if (rendered == null) {
			settleFailure();
		}
		else if (rendered.isEmpty() && !response.isErrorSent()) {
			settleWithoutClient();
		}
		else if (this.recorder
			.isToBeStored((rendered.getStatus() != null) ? rendered.getStatus().value() : response.getStatus())) {
			keepFact();
		}
		else {
			settleFailure();
		}
	}

	private @Nullable ModelAndView render(Exception exception, ExchangeResponse response) {
		try {
			return this.exchange.rules().render(this.exchange, response, this.handler, exception);
		}
		catch (RuntimeException ex) {
			logger.debug("The failure of {} cannot be rendered without its client", this.handler, ex);
			return null;
		}
	}

	/**
	 * Whether the response is final: its head is sent, and no failure takes its place.
	 */
	private boolean isWritten() {
		boolean empty = this.recorder.isKept() && this.recorder.isEmpty();
		return isFlowing() && !empty && !this.exchange.response().isErrorSent();
	}

	/**
	 * Holds a callback back until a detached task has ended.
	 * @return whether there is such a task
	 */
	synchronized boolean holdBack(IOAction callback) {
		if (!isDetached()) {
			return false;
		}
		if (this.heldBack.isEmpty()) {
			this.heldBack = new ArrayList<>();
		}
		return this.heldBack.add(callback);
	}

	private void runHeldBack() {
		List<IOAction> callbacks;
		synchronized (this) {
			if (this.task != TaskState.ABANDONED) {
				this.task = TaskState.ENDED;
			}
			callbacks = this.heldBack;
			this.heldBack = List.of();
		}
		try {
			for (IOAction callback : callbacks) {
				callback.run();
			}
		}
		catch (IOException ex) {
			logger.debug("The client of {} has disconnected", this.handler, ex);
		}
	}

	private synchronized boolean hasNoTask() {
		return this.task == TaskState.NONE;
	}

	private synchronized boolean isTaskRunning() {
		return this.task == TaskState.RUNNING || this.task == TaskState.DONE;
	}

	/**
	 * Whether the task was given and has not ended.
	 */
	private synchronized boolean isTaskUnderWay() {
		return this.task == TaskState.GIVEN || isTaskRunning();
	}

	private synchronized boolean hasTaskSucceeded() {
		return this.taskSucceeded;
	}

	private synchronized boolean hasTaskFailed() {
		return (this.task == TaskState.DONE || this.task == TaskState.ENDED) && !this.taskSucceeded;
	}

	/**
	 * Abandons a task that has not begun. It never runs then.
	 * @return whether it is abandoned
	 */
	private synchronized boolean abandonTask() {
		if (this.task == TaskState.GIVEN) {
			this.task = TaskState.ABANDONED;
		}
		return this.task == TaskState.ABANDONED;
	}

	/**
	 * Lets a running task continue without its client.
	 * @return whether it is detached
	 */
	private synchronized boolean detachTask() {
		this.taskDetached = this.taskDetached || this.task == TaskState.RUNNING;
		return this.taskDetached;
	}

	/**
	 * Whether the handler continues without its client, outside of any dispatch.
	 */
	synchronized boolean isDetached() {
		return this.taskDetached && isTaskRunning();
	}

	/**
	 * Whether the handler has continued without its client, finished or not, or was
	 * abandoned before it began.
	 */
	synchronized boolean wasDetached() {
		return this.taskDetached || this.task == TaskState.ABANDONED;
	}

	// The end

	/**
	 * Whether the key is settled, or is being settled.
	 */
	synchronized boolean isSettled() {
		return this.phase == Phase.SETTLED || this.phase == Phase.OVER;
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
		ExchangeResponse ours = this.exchange.response();
		if (ours.isErrorSent() || this.detourFailed) {
			this.transaction.rollBack();
		}
		else if (response == ours) {
			settleBeforeDelivery();
		}
		else if (this.transaction.endsWithHandler()) {
			logger
				.warn("The response of {} cannot be replayed: a filter inside of the IdempotencyFilter holds it back until "
						+ "after the transaction, which ends with the session that is open in view. Give that filter an order "
						+ "before {}, or switch that session off", this.handler, IdempotencyFilter.DEFAULT_ORDER);
			settleUnseen();
		}
		// Otherwise at the end of the dispatch, when a filter that holds the response has
		// passed it on
	}

	/**
	 * A response that is empty because of a failure must neither be stored nor sent.
	 */
	private void failIfFailureWasSwallowed() {
		if (!isSettled() && this.recorder.isEmpty()) {
			SwallowedFailure.reveal(this.exchange, this.handler);
		}
	}

	/**
	 * A dispatch has ended, and no asynchronous one follows.
	 */
	void endOfDispatch() throws IOException {
		if (deliverUnsent() || isDetached() || isSettled()) {
			return;
		}
		failIfFailureWasSwallowed();
		if (!this.exchange.response().isErrorSent() || !awaitError()) {
			settle();
		}
	}

	/**
	 * The handler has ended asynchronous processing itself.
	 */
	void completedByHandler() {
		if (hasNoTask()) {
			respondedInTime();
		}
		try {
			settle();
		}
		catch (IOException ex) {
			logger.debug("The client of {} has disconnected", this.handler, ex);
		}
		catch (RuntimeException ex) {
			// This thread has no dispatch that could fail
			this.recorder.failLater(ex);
		}
	}

	/**
	 * A dispatch has failed with an exception that was not handled.
	 */
	void failed() {
		dropUnsent();
		if (!isDetached() && !isSettled()) {
			settleFailure();
		}
	}

	/**
	 * The container has finished the request. If it had to render an error and did not,
	 * no client has seen its body. After asynchronous processing, containers call this
	 * too early: the error may still be rendered, or never.
	 */
	void requestIsOver() {
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
		boolean awaitingError = isAwaitingError();
		if (!awaitingError && isTaskUnderWay()) {
			// The container has ended the request before its task: it must not run twice
			connectionLost();
			return;
		}
		if (!awaitingError) {
			failed();
		}
		else if (!this.exchange.isAsync()) {
			settleWithoutClient();
		}
		if (!isSettled() && !this.settlement.isLeftToTask()) {
			this.settlement.letLeaseRunOut();
		}
	}

	/**
	 * Makes further writes fail, because no client reads them.
	 */
	void recordNothingMore() {
		this.recorder.endOfRequest();
	}

	// How the key is settled: once, whichever thread comes first

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
	 * Settles the key, and sends the response.
	 */
	private void settle() throws IOException {
		if (become(Phase.SETTLED)) {
			deliver(settleResponse());
		}
	}

	/**
	 * Settles the key of a response that has no client.
	 */
	private void settleWithoutClient() {
		if (!become(Phase.SETTLED)) {
			return;
		}
		Settled settled = settleResponse();
		if (settled.failure() == null) {
			letGo();
			return;
		}
		try {
			deliver(settled);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Nothing was to be sent", ex);
		}
	}

	/**
	 * Settles the key, and leaves the rest of the response to the end of the dispatch.
	 */
	private void settleBeforeDelivery() {
		if (become(Phase.SETTLED)) {
			this.unsent = settleResponse();
		}
	}

	/**
	 * Settles the key of a response that a filter still holds back.
	 */
	private void settleUnseen() {
		if (become(Phase.SETTLED)) {
			this.unsent = settleUnseen(this.exchange.response().getStatus());
		}
	}

	private Settled settleResponse() {
		try {
			Recorded answer = this.recorder.end();
			Completion completion = this.settlement.settle(end(), answer.status(), answer.isToBeStored(),
					this.recorder.isKept() ? answer.toAnswer() : null);
			return new Settled(answer, completion, null);
		}
		catch (Throwable ex) {
			// Most likely from the application's own policy
			return notSettled(ex);
		}
	}

	private Settled settleUnseen(int status) {
		try {
			return new Settled(null,
					this.settlement.settle(End.RESPONDED, status, this.recorder.isToBeStored(status), null), null);
		}
		catch (Throwable ex) {
			return notSettled(ex);
		}
	}

	private Settled notSettled(Throwable failure) {
		FirstFailure.then(failure, this.settlement::giveUp);
		return new Settled(null, null, failure);
	}

	/**
	 * A response is cut off, too, if its client has disconnected and it is not recorded
	 * as a whole.
	 */
	private End end() {
		return (this.recorder.isClientGone() && !this.recorder.isKept()) ? End.CUT_OFF : this.end;
	}

	/**
	 * Completes the key without the response.
	 */
	private void keepFact() {
		if (become(Phase.SETTLED)) {
			this.settlement.keepFact();
		}
	}

	/**
	 * Settles the key of a handler that has failed. If failures are stored, the error
	 * that the container renders comes first.
	 */
	private void settleFailure() {
		this.transaction.rollBack();
		if (this.settlement.countsFailures() && !this.recorder.isFlowing() && awaitError()) {
			return;
		}
		if (!become(Phase.SETTLED)) {
			return;
		}
		try {
			this.settlement.settle((end() == End.CUT_OFF) ? End.CUT_OFF : End.FAILED,
					HttpServletResponse.SC_INTERNAL_SERVER_ERROR, false, null);
		}
		finally {
			letGo();
			writeEffectOfFailure();
		}
	}

	/**
	 * The response to come is an error that the library does not see.
	 */
	private void writeEffectOfFailure() {
		ExchangeResponse response = this.exchange.response();
		if (!this.recorder.isFlowing() && !response.isCommitted()) {
			this.recorder.writeEffect(response.outlet(), HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
	}

	/**
	 * The container renders the error in a dispatch of its own, unless it has done so.
	 * @return whether the error is awaited
	 */
	private boolean awaitError() {
		if (!become(Phase.AWAITING_ERROR)) {
			return false;
		}
		this.transaction.rollBack();
		this.recorder.renderInOnePiece();
		return true;
	}

	/**
	 * Sends what was settled before the end of the dispatch.
	 * @return whether there was such a response
	 */
	private boolean deliverUnsent() throws IOException {
		Settled settled = this.unsent;
		if (settled == null) {
			return false;
		}
		this.unsent = null;
		deliver(settled);
		return true;
	}

	/**
	 * What was settled is not sent: the dispatch has failed since.
	 */
	private void dropUnsent() {
		if (this.unsent != null) {
			this.unsent = null;
			letGo();
		}
	}

	private void deliver(Settled settled) throws IOException {
		become(Phase.OVER);
		this.recorder.deliver(settled);
	}

	private void letGo() {
		become(Phase.OVER);
		this.exchange.response().letThrough();
	}

	/**
	 * A handler inside of another one's dispatch.
	 *
	 * @param outer the detour that has called it, or {@code null} if the run's own
	 * handler has
	 */
	private record Detour(Object handler, @Nullable Detour outer) {
	}

	/**
	 * The phases of a protected request that runs.
	 *
	 * <pre>
	 *             an error for the container to render
	 *   RUNNING ──────────────────────────────────────► AWAITING_ERROR
	 *      │                                                  │
	 *      │  end of the dispatch, the task, the transaction  │
	 *      │  or the request; a client that is gone           │
	 *      ├──────────────────────────────────────────────────┘
	 *      ▼
	 *   SETTLED ───────────────────────────────────────► OVER
	 *             what was settled is sent, or let go
	 * </pre>
	 */
	enum Phase {

		/**
		 * The handler runs, or its response is being rendered.
		 */
		RUNNING,

		/**
		 * The container renders the error in a dispatch of its own.
		 */
		AWAITING_ERROR,

		/**
		 * The key is completed or released, or is about to be. No other thread may settle
		 * it.
		 */
		SETTLED,

		/**
		 * The response was sent, or left to the container.
		 */
		OVER;

		boolean leadsTo(Phase next) {
			return switch (next) {
				case RUNNING -> false;
				case AWAITING_ERROR -> this == RUNNING;
				case SETTLED -> this == RUNNING || this == AWAITING_ERROR;
				case OVER -> this == SETTLED;
			};
		}

	}

	/**
	 * The states of the task that a handler returns, which runs on a thread of its own.
	 * If its client disconnects, it is detached from the request and continues: what it
	 * writes is stored for the retry.
	 *
	 * <pre>
	 *   NONE ──► GIVEN ──────► RUNNING ──────► DONE ──────► ENDED
	 *              │              ▲                           │
	 *              ▼              └───────────────────────────┘
	 *          ABANDONED              the handler's next task
	 * </pre>
	 */
	private enum TaskState {

		NONE,

		/**
		 * Returned by the handler, and not begun.
		 */
		GIVEN,

		/**
		 * Lost its client before it began. It never runs.
		 */
		ABANDONED,

		RUNNING,

		/**
		 * Its work is done, and its key is about to be settled.
		 */
		DONE,

		ENDED

	}

}
