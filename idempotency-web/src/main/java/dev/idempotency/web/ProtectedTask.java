package dev.idempotency.web;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.idempotency.http.Settlement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.ModelAndView;

/**
 * The task of a protected handler, and what its end and its client mean for the key.
 */
final class ProtectedTask {

	private static final Logger logger = LoggerFactory.getLogger(ProtectedTask.class);

	private final HandlerTask task = new HandlerTask();

	private final CurrentDispatch dispatch;

	private final Object handler;

	private final AnswerRecorder recorder;

	private final Settlement settlement;

	private final RunEnding ending;

	private final boolean deferred;

	/**
	 * Create a task.
	 * @param deferred whether the handler sets its result from elsewhere
	 */
	ProtectedTask(CurrentDispatch dispatch, Object handler, AnswerRecorder recorder, Settlement settlement,
			RunEnding ending, boolean deferred) {
		this.dispatch = dispatch;
		this.handler = handler;
		this.recorder = recorder;
		this.settlement = settlement;
		this.ending = ending;
		this.deferred = deferred;
	}

	/**
	 * The state of the task.
	 */
	HandlerTask state() {
		return this.task;
	}

	/**
	 * The client has disconnected. The task continues, unless it has not begun, or its
	 * response is too large to store.
	 */
	void connectionLost(long timeout) {
		if (this.recorder.isFlowing() && !this.recorder.isKept()) {
			this.ending.keepFact();
		}
		else if (this.task.abandon()) {
			this.settlement.doNotStore();
			this.ending.settleWithoutClient();
		}
		else if (this.task.detach()) {
			giveUpAfter(timeout);
		}
		else {
			if (this.task.hasFailed()) {
				this.ending.settleFailure();
			}
			else if (this.recorder.isFlowing() && this.task.hasSucceeded()) {
				this.ending.settleWithoutClient();
			}
			else {
				this.ending.keepFact();
			}
		}
	}

	/**
	 * Over HTTP/2, the container ends a request whose client is gone, and nothing limits
	 * the wait for a result that nobody sets.
	 */
	private void giveUpAfter(long timeout) {
		if (this.deferred && timeout > 0) {
			CompletableFuture.delayedExecutor(timeout, TimeUnit.MILLISECONDS).execute(() -> {
				if (this.task.isDetached()) {
					this.settlement.letLeaseRunOut();
				}
			});
		}
	}

	/**
	 * The task has ended. Without a client there may be no dispatch that would say so,
	 * and a container that loses the dispatch must not leave the key in progress.
	 */
	void ended(@Nullable Object result) {
		boolean failed = result instanceof Throwable || isResponseNotToBeStored(result);
		try {
			boolean detached = this.task.done(!failed);
			if (this.task.isLeft()) {
				this.settlement.settleAfterTimeout(!failed);
			}
			else if (detached || this.recorder.isClientGone()) {
				settle(failed, result);
			}
			else if (this.task.hasStreamed() && isWritten()) {
				this.ending.settleBeforeDelivery();
			}
		}
		finally {
			tellThatEnded();
		}
	}

	/**
	 * Without a client, no status is written that would tell.
	 */
	private boolean isResponseNotToBeStored(@Nullable Object result) {
		return result instanceof ResponseEntity<?> entity
				&& !this.recorder.isToBeStored(entity.getStatusCode().value());
	}

	private void settle(boolean failed, @Nullable Object result) {
		if (failed && result instanceof Exception exception && this.recorder.isEmpty()) {
			settle(exception);
		}
		else if (failed) {
			this.ending.settleFailure();
		}
		else if (this.recorder.isEmpty()) {
			// Without a client, what it has returned is never rendered
			this.ending.keepFact();
		}
		else {
			this.ending.settleWithoutClient();
		}
	}

	/**
	 * Renders the exception as the application would for a client: if that is a response
	 * to be stored, the handler does not run again.
	 */
	private void settle(Exception exception) {
		ExchangeResponse response = this.dispatch.response();
		ModelAndView rendered = render(exception, response);
		if (rendered == null) {
			this.ending.settleFailure();
		}
		else if (rendered.isEmpty() && !response.isErrorSent()) {
			this.ending.settleWithoutClient();
		}
		else if (this.recorder
			.isToBeStored((rendered.getStatus() != null) ? rendered.getStatus().value() : response.getStatus())) {
			this.ending.keepFact();
		}
		else {
			this.ending.settleFailure();
		}
	}

	private @Nullable ModelAndView render(Exception exception, ExchangeResponse response) {
		try {
			return this.dispatch.rules()
				.exceptionRenderer()
				.render(this.dispatch.request(), response, this.handler, exception);
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
		return this.recorder.isFlowing() && !empty && !this.dispatch.response().isErrorSent();
	}

	private void tellThatEnded() {
		try {
			this.task.ended();
		}
		catch (IOException ex) {
			logger.debug("The client of {} has disconnected", this.handler, ex);
		}
	}

}
