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
 * Sends what was settled: the handler's answer, or another one if that is what counts.
 */
final class AnswerDelivery {

	private final CurrentDispatch dispatch;

	private final Object handler;

	private final IdempotencyKey key;

	private final AnswerRecorder recorder;

	private volatile boolean cut;

	/**
	 * What the next dispatch has to fail with, because there was none to fail.
	 */
	private volatile @Nullable RuntimeException failure;

	AnswerDelivery(CurrentDispatch dispatch, Object handler, IdempotencyKey key, AnswerRecorder recorder) {
		this.dispatch = dispatch;
		this.handler = handler;
		this.key = key;
		this.recorder = recorder;
	}

	/**
	 * Whether the answer is on its way to the client and must not come to its end.
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
	 * Fails if the answer must not come to its end. An error page comes to its own.
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

	void deliver(SettledAnswer settled) throws IOException {
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
			throw notSettled(Objects.requireNonNull(failure, "there is an answer, or none"));
		}
		Completion completion = settled.completion();
		if (completion != null && completion.answer() != null) {
			answerLike(completion.answer());
		}
		else if (completion != null && completion.kind() == Completion.Kind.ROLLED_BACK) {
			answerNothingDone(Objects.requireNonNull(completion.cause()));
		}
		else {
			answer.send(this.dispatch.response().container());
		}
	}

	/**
	 * Someone else has the key: never two answers for one key.
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
	 * The transaction failed, and with it whatever the handler has said.
	 */
	private void answerNothingDone(RuntimeException cause) {
		HttpServletResponse container = this.dispatch.response().container();
		this.recorder.wipe(container);
		if (!(cause instanceof IdempotencyException problem)) {
			ServletAnswers.writeEffect(EffectHeader.NONE, container);
			throw cause;
		}
		refuse(problem, container);
	}

	private void refuse(IdempotencyException problem, HttpServletResponse container) {
		ServletAnswers.writeEffect(EffectHeader.NONE, container);
		this.dispatch.refused(problem);
		this.dispatch.rules().problemRenderer().render(this.dispatch.request(), container, this.handler, problem);
	}

	/**
	 * Makes a failure of the answer of whatever kept it from being settled. Containers do
	 * not answer at all when an error comes to them as it is.
	 */
	private RuntimeException notSettled(Throwable failure) {
		HttpServletResponse container = this.dispatch.response().container();
		if (!container.isCommitted()) {
			this.recorder.wipe(container);
			this.recorder.writeEffect(container, HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
		return (failure instanceof RuntimeException exception) ? exception : new IllegalStateException(
				"The answer of %s could not be settled: %s".formatted(this.handler, failure), failure);
	}

	/**
	 * Makes the container break the connection off, so that the client knows that it has
	 * not seen the whole answer.
	 */
	static final class CutAnswerException extends IOException {

		private static final long serialVersionUID = 1L;

		CutAnswerException() {
			super("The answer of another attempt counts: this one must not come to its end");
		}

	}

}
