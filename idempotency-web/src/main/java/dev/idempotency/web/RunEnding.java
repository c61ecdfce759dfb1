package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.core.Completion;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.http.HandlerTransaction;
import dev.idempotency.http.Settlement;
import dev.idempotency.http.Settlement.End;
import dev.idempotency.web.AnswerRecorder.Recorded;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * How a run ends: its key is settled once, whichever thread comes first, and then its
 * response is sent or left to the container. {@link Phase} draws the phases.
 */
final class RunEnding {

	private final CurrentDispatch dispatch;

	private final HandlerTransaction transaction;

	private final AnswerRecorder recorder;

	private final Settlement settlement;

	private final AnswerDelivery delivery;

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

	RunEnding(CurrentDispatch dispatch, HandlerTransaction transaction, AnswerRecorder recorder, Settlement settlement,
			AnswerDelivery delivery) {
		this.dispatch = dispatch;
		this.transaction = transaction;
		this.recorder = recorder;
		this.settlement = settlement;
		this.delivery = delivery;
	}

	synchronized boolean isSettled() {
		return this.phase == Phase.SETTLED || this.phase == Phase.OVER;
	}

	synchronized boolean isAwaitingError() {
		return this.phase == Phase.AWAITING_ERROR;
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
	void settle() throws IOException {
		if (become(Phase.SETTLED)) {
			deliver(settleResponse());
		}
	}

	/**
	 * Settles the key of a response that has no client.
	 */
	void settleWithoutClient() {
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
	void settleBeforeDelivery() {
		if (become(Phase.SETTLED)) {
			this.unsent = settleResponse();
		}
	}

	/**
	 * Settles the key of a response that a filter still holds back.
	 */
	void settleUnseen() {
		if (become(Phase.SETTLED)) {
			this.unsent = settleUnseen(this.dispatch.response().getStatus());
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
	void keepFact() {
		if (become(Phase.SETTLED)) {
			this.settlement.keepFact();
		}
	}

	/**
	 * Settles the key of a handler that has failed. If failures are stored, the error
	 * that the container renders comes first.
	 */
	void settleFailure() {
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
	void writeEffectOfFailure() {
		ExchangeResponse response = this.dispatch.response();
		if (!this.recorder.isFlowing() && !response.isCommitted()) {
			this.recorder.writeEffect(response.container(), HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
	}

	/**
	 * The container renders the error in a dispatch of its own, unless it has done so.
	 * @return whether the error is awaited
	 */
	boolean awaitError() {
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
	boolean deliverUnsent() throws IOException {
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
	void dropUnsent() {
		if (this.unsent != null) {
			this.unsent = null;
			letGo();
		}
	}

	private void deliver(Settled settled) throws IOException {
		become(Phase.OVER);
		this.delivery.deliver(settled);
	}

	private void letGo() {
		become(Phase.OVER);
		this.dispatch.response().letThrough();
	}

	/**
	 * The outcome of the settlement of a key.
	 *
	 * @param answer the response, or {@code null} if it is not recorded
	 * @param completion the completion of the key, or {@code null} if it was not
	 * completed
	 * @param failure what the settlement failed with, if it failed
	 */
	record Settled(@Nullable Recorded answer, @Nullable Completion completion, @Nullable Throwable failure) {
	}

}
