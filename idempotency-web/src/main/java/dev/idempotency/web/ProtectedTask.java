package dev.idempotency.web;

import dev.idempotency.http.Settlement;
import java.io.IOException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

	ProtectedTask(CurrentDispatch dispatch, Object handler, AnswerRecorder recorder, Settlement settlement,
			RunEnding ending) {
		this.dispatch = dispatch;
		this.handler = handler;
		this.recorder = recorder;
		this.settlement = settlement;
		this.ending = ending;
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
	void connectionLost() {
		if (this.recorder.isFlowing() && !this.recorder.isKept()) {
			this.ending.keepFact();
		}
		else if (this.task.abandon()) {
			this.settlement.doNotStore();
			this.ending.settleWithoutClient();
		}
		else if (!this.task.detach()) {
			if (this.recorder.isFlowing() && this.task.hasSucceeded()) {
				this.ending.settleWithoutClient();
			}
			else {
				this.ending.keepFact();
			}
		}
	}

	/**
	 * The task has ended. Without a client there may be no dispatch that would say so,
	 * and a container that loses the dispatch must not leave the key in progress.
	 */
	void ended(@Nullable Object result) {
		boolean failed = result instanceof Throwable;
		try {
			if (this.task.done(!failed) || this.recorder.isClientGone()) {
				settle(failed);
			}
			else if (this.task.hasStreamed() && isWritten()) {
				this.ending.settleBeforeDelivery();
			}
		}
		finally {
			tellThatEnded();
		}
	}

	private void settle(boolean failed) {
		if (failed) {
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
