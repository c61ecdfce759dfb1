package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.http.HttpAnswer;

/**
 * A request whose response is known, so that its handler does not run. What other code
 * writes meanwhile is dropped.
 */
final class KnownAnswer implements Handling {

	private final CurrentDispatch dispatch;

	private final HttpAnswer answer;

	private boolean sent;

	KnownAnswer(CurrentDispatch dispatch, HttpAnswer answer) {
		this.dispatch = dispatch;
		this.answer = answer;
		dispatch.response().drop();
	}

	@Override
	public boolean isUndecided() {
		return false;
	}

	@Override
	public void endOfDispatch() throws IOException {
		if (!this.sent) {
			this.sent = true;
			this.dispatch.response().letThrough();
			ServletAnswers.send(this.answer, this.dispatch.response().container());
		}
	}

}
