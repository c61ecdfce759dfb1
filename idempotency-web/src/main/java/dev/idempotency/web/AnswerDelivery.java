package dev.idempotency.web;

import java.io.IOException;
import java.util.Objects;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.ReplayedAnswer;
import dev.idempotency.web.AnswerRecorder.Recorded;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Sends the settled response: that of the handler, or the one that replaces it after a
 * takeover or a rollback.
 */
final class AnswerDelivery {

	private final CurrentDispatch dispatch;

	private final Object handler;

	private final IdempotencyKey key;

	private final AnswerRecorder recorder;

	private volatile boolean cut;

	/**
	 * What the next dispatch fails with, because no dispatch was running.
	 */
	private volatile @Nullable RuntimeException failure;

	AnswerDelivery(CurrentDispatch dispatch, Object handler, IdempotencyKey key, AnswerRecorder recorder) {
		this.dispatch = dispatch;
		this.handler = handler;
		this.key = key;
		this.recorder = recorder;
	}

	/**
	 * Whether the response must not be finished: the next dispatch fails instead.
	 */
	boolean isCut() {
		return this.cut || this.failure != null;
	}

	/**
	 * Lets the next dispatch fail.
	 */
	void failLater(RuntimeException failure) {
		this.failure = failure;
	}

	/**
	 * Fails if the response must not be finished. A late failure is thrown once, so that
	 * its error page can be finished.
	 */
	void failIfCut() throws IOException {
		RuntimeException late = this.failure;
		if (late != null) {
			this.failure = null;
			throw late;
		}
		if (this.cut) {
			throw new CutAnswerException();
		}
	}

	void deliver(Settled settled) throws IOException {
		Throwable failure = settled.failure();
		Recorded answer = null;
		try {
			if (failure == null) {
				answer = (settled.answer() != null) ? settled.answer() : this.recorder.end();
			}
		}
		finally {
			this.dispatch.response().letThrough();
		}
		if (answer == null) {
			throw notSettled(Objects.requireNonNull(failure, "neither a response nor a failure"));
		}
		Completion completion = settled.completion();
		RuntimeException commitFailure = (completion != null) ? completion.commitFailure() : null;
		if (completion != null && completion.answer() != null) {
			answerLike(completion.answer());
		}
		else if (completion != null && commitFailure != null) {
			answerCommitFailed(completion.kind(), commitFailure, answer);
		}
		else {
			answer.send(this.dispatch.response().container());
		}
	}

	/**
	 * Sends the response of the attempt that has taken the key over: a key never has two
	 * responses.
	 */
	private void answerLike(Decision.Answer answer) throws IOException {
		HttpServletResponse container = this.dispatch.response().container();
		if (container.isCommitted()) {
			this.cut = true;
			RecordedBody body = this.recorder.body();
			if (body != null) {
				body.cut();
			}
			throw new CutAnswerException();
		}
		this.recorder.wipe(container);
		try {
			ServletAnswers.send(ReplayedAnswer.of(answer, this.key), container);
		}
		catch (IdempotencyException ex) {
			refuse(ex, container);
		}
	}

	/**
	 * The commit failed, so the handler's response is discarded. What was done is said as
	 * far as it is known.
	 */
	private void answerCommitFailed(Completion.Kind kind, RuntimeException cause, Recorded answer) {
		HttpServletResponse container = this.dispatch.response().container();
		this.recorder.wipe(container);
		if (cause instanceof IdempotencyException problem) {
			refuse(problem, container);
			return;
		}
		if (kind == Completion.Kind.ROLLED_BACK) {
			ServletAnswers.writeEffect(EffectHeader.NONE, container);
		}
		else if (kind != Completion.Kind.UNKNOWN) {
			ServletAnswers.writeEffect(answer.effect(), container);
		}
		throw cause;
	}

	private void refuse(IdempotencyException problem, HttpServletResponse container) {
		ServletAnswers.writeEffect(EffectHeader.NONE, container);
		this.dispatch.refused(problem);
		this.dispatch.rules().exceptionRenderer().render(this.dispatch.request(), container, this.handler, problem);
	}

	/**
	 * Converts the failure to settle the response into an exception. Containers send no
	 * response at all for an {@code Error} that reaches them directly.
	 */
	private RuntimeException notSettled(Throwable failure) {
		HttpServletResponse container = this.dispatch.response().container();
		if (!container.isCommitted()) {
			this.recorder.wipe(container);
			this.recorder.writeEffect(container, HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
		return (failure instanceof RuntimeException exception) ? exception : new IllegalStateException(
				"The response of %s could not be settled: %s".formatted(this.handler, failure), failure);
	}

	/**
	 * Makes the container abort the connection, so that the client knows that it has not
	 * seen the whole response.
	 */
	static final class CutAnswerException extends IOException {

		private static final long serialVersionUID = 1L;

		CutAnswerException() {
			super("Another attempt has taken the key over: this response must not be finished");
		}

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
