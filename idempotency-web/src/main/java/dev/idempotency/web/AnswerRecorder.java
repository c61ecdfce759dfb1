package dev.idempotency.web;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyException;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.http.AnswerBody;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HandlerTransaction;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpAnswer.Delivery;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.Settlement;
import dev.idempotency.http.ReplayedAnswer;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * Records the response of a handler, and sends it when its key is settled, or the one
 * that replaces it after a takeover or a rollback. A response that is written piece by
 * piece streams to the client.
 */
final class AnswerRecorder {

	private final Exchange exchange;

	private final ProtectedOperation operation;

	private final ResponseHeaders headersBefore;

	private final HandlerTransaction transaction;

	private final ProtectedRun run;

	private @Nullable RecordedBody body;

	/**
	 * The response that is recorded.
	 */
	private ExchangeResponse response;

	/**
	 * The response whose head was sent before its body.
	 */
	private @Nullable Recorded sent;

	private volatile Effect effect;

	private volatile boolean effectUnknown;

	private volatile boolean handlerReached = true;

	private volatile boolean inOnePiece;

	private volatile boolean cut;

	/**
	 * What the next dispatch fails with, because no dispatch was running.
	 */
	private volatile @Nullable RuntimeException failure;

	AnswerRecorder(Exchange exchange, ProtectedOperation operation, HandlerTransaction transaction, ProtectedRun run) {
		this.exchange = exchange;
		this.operation = operation;
		this.transaction = transaction;
		this.run = run;
		this.effect = operation.effect();
		this.response = exchange.response();
		this.headersBefore = ResponseHeaders.of(this.response.outlet());
	}

	/**
	 * Records what is written to a response. A further dispatch has its own response, and
	 * the record starts again.
	 * @return whether that is possible
	 */
	boolean recordOn(ExchangeResponse response) {
		if (this.body != null) {
			this.body.replace(this.effectUnknown);
		}
		this.response = response;
		this.body = response.record(this, this.operation.limits().response());
		return this.body != null;
	}

	/**
	 * The request has ended: further writes fail.
	 */
	void endOfRequest() {
		if (this.body != null) {
			this.body.end();
		}
	}

	void effect(Effect effect) {
		this.effect = effect;
	}

	/**
	 * The handler may continue after its response: nobody can say what it does.
	 */
	void effectIsUnknown(boolean unknown) {
		this.effectUnknown = unknown;
	}

	void handlerNotReached() {
		this.handlerReached = false;
	}

	/**
	 * From now on other code than the handler writes the response, and does not stream.
	 */
	void renderInOnePiece() {
		this.inOnePiece = true;
	}

	/**
	 * Whether no part of a body has been written yet.
	 */
	boolean isEmpty() {
		return this.body == null || this.body.size() == 0;
	}

	boolean isFlowing() {
		return this.body != null && this.body.isFlowing();
	}

	/**
	 * Whether the whole body is recorded.
	 */
	boolean isKept() {
		return this.body != null && this.body.isKept();
	}

	boolean isClientGone() {
		return this.body != null && this.body.isClientGone();
	}

	void clientIsGone() {
		if (this.body != null) {
			this.body.clientIsGone();
		}
	}

	boolean mayFlow() {
		if (this.transaction.isActive() || isBodiless()) {
			// The response is sent after the commit, and a head alone is all of it
			return false;
		}
		return (this.operation.streams() && !this.inOnePiece) || isWrittenAside() || isEventStream();
	}

	private boolean isBodiless() {
		return switch (this.exchange.response().getStatus()) {
			case HttpServletResponse.SC_NO_CONTENT, HttpServletResponse.SC_RESET_CONTENT,
					HttpServletResponse.SC_NOT_MODIFIED ->
				true;
			default -> false;
		};
	}

	/**
	 * On the container's thread, only a flush shows that the handler wants to stream.
	 * What Spring lets other threads write to cannot be flushed.
	 */
	boolean mayFlowUnasked() {
		return isWrittenAside();
	}

	/**
	 * Whether the body is written outside of a dispatch. After a timeout, containers
	 * render the error while the request still counts as asynchronous.
	 */
	private boolean isWrittenAside() {
		return this.exchange.isAsync() && !isClientGone() && isAsyncStarted() && !this.exchange.isErrorPage();
	}

	/**
	 * Tomcat refuses to be asked on the handler's thread once the client has
	 * disconnected.
	 */
	private boolean isAsyncStarted() {
		try {
			return this.exchange.request().isAsyncStarted();
		}
		catch (IllegalStateException ex) {
			if (!isClientGone()) {
				throw ex;
			}
			return false;
		}
	}

	/**
	 * Whether the body is not stored because it may have no end.
	 */
	boolean isEndless() {
		return !storesEvents() && !this.transaction.isActive() && isEventStream();
	}

	/**
	 * Whether the handler says that its event streams end.
	 */
	boolean storesEvents() {
		return this.operation.limits().events();
	}

	private boolean isEventStream() {
		String type = this.exchange.response().getContentType();
		return type != null && type.startsWith(MediaType.TEXT_EVENT_STREAM_VALUE);
	}

	void open(long declaredLength) throws IOException {
		if (this.transaction.isActive()) {
			throw new IllegalStateException(
					"The response is larger than the %d bytes that are stored, and must not be sent before the "
						.formatted(this.operation.limits().response())
							+ "transaction is committed. Raise max-response-body, or leave transactional = true out");
		}
		HttpServletResponse container = this.response.outlet();
		this.sent = recorded(container, null);
		writeEffect(container, this.sent.status());
		if (declaredLength >= 0) {
			container.setContentLengthLong(declaredLength);
		}
	}

	void write(byte[] source, int offset, int length) throws IOException {
		this.response.outlet().getOutputStream().write(source, offset, length);
	}

	void flush() throws IOException {
		this.response.outlet().flushBuffer();
	}

	void close() throws IOException {
		this.response.outlet().getOutputStream().close();
	}

	void clientLost() {
		this.run.clientLost();
	}

	void outgrown() {
		this.run.outgrown();
	}

	/**
	 * Ends the record. A body that does not stream yet is held from now on.
	 * @return the response, with or without its whole body
	 */
	Recorded end() {
		ExchangeResponse response = this.exchange.response();
		if (this.body != null) {
			this.body.seal(response::drainWriter);
		}
		return (this.sent != null) ? this.sent : recorded(response, response.redirect());
	}

	private Recorded recorded(HttpServletResponse response, ExchangeResponse.@Nullable Redirect redirect) {
		int status = response.getStatus();
		Map<String, List<String>> headers = ResponseHeaders.changed(response, this.headersBefore,
				this.exchange.rules().keptHeaders());
		String language = this.exchange.response().language();
		if (language != null && !headers.containsKey(HttpHeaders.CONTENT_LANGUAGE)) {
			headers = ResponseHeaders.with(headers, HttpHeaders.CONTENT_LANGUAGE, List.of(language));
		}
		return new Recorded(status, headers, isToBeStored(status), redirect);
	}

	boolean isToBeStored(int status) {
		return switch (this.operation.store()) {
			case ALL -> true;
			case SUCCESSFUL -> status < 400;
			case BY_POLICY ->
				this.exchange.rules().policy().shouldStore(ServletFacts.afterHandler(this.exchange.request()), status);
		};
	}

	/**
	 * Restores the response to its state before the handler.
	 */
	void wipe(HttpServletResponse container) {
		this.headersBefore.restore(container);
	}

	/**
	 * Writes what the handler has done, unless that is unknown.
	 */
	void writeEffect(HttpServletResponse container, int status) {
		if (this.transaction.isUnknown() || this.effectUnknown) {
			return;
		}
		if (!this.handlerReached || this.transaction.isRolledBack()) {
			ServletAnswers.writeEffect(EffectHeader.NONE, container);
			return;
		}
		ServletAnswers.writeEffect(this.run.isDryRun() ? effectOf(status).onDryRun() : effectOf(status), container);
	}

	private EffectHeader effectOf(int status) {
		return EffectHeader.of(this.effect, this.exchange.request().getMethod(), status);
	}

	// What is sent

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
				answer = (settled.answer() != null) ? settled.answer() : end();
			}
		}
		finally {
			this.exchange.response().letThrough();
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
			answer.send(this.exchange.response().outlet());
		}
	}

	/**
	 * Sends the response of the attempt that has taken the key over: a key never has two
	 * responses.
	 */
	private void answerLike(Decision.Answer answer) throws IOException {
		HttpServletResponse container = this.exchange.response().outlet();
		if (container.isCommitted()) {
			cut();
			throw new CutAnswerException();
		}
		wipe(container);
		try {
			ServletAnswers.send(ReplayedAnswer.of(answer, this.run.key()), container);
		}
		catch (IdempotencyException ex) {
			refuse(ex, container);
		}
	}

	private void cut() throws IOException {
		this.cut = true;
		if (this.body != null) {
			this.body.cut();
		}
	}

	/**
	 * The commit failed, so the handler's response is discarded. What was done is said as
	 * far as it is known.
	 */
	private void answerCommitFailed(Completion.Kind kind, RuntimeException cause, Recorded answer) {
		HttpServletResponse container = this.exchange.response().outlet();
		wipe(container);
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
		this.exchange.refused(problem);
		this.exchange.rules().render(this.exchange, container, this.run.handler(), problem);
	}

	/**
	 * Converts the failure to settle the response into an exception. Containers send no
	 * response at all for an {@code Error} that reaches them directly.
	 */
	private RuntimeException notSettled(Throwable failure) throws IOException {
		HttpServletResponse container = this.exchange.response().outlet();
		if (container.isCommitted()) {
			cut();
		}
		else {
			wipe(container);
			// While it renders an error, the container leaves the status alone
			container.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
			writeEffect(container, HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
		return (failure instanceof RuntimeException exception) ? exception : new IllegalStateException(
				"The response of %s could not be settled: %s".formatted(this.run.handler(), failure), failure);
	}

	/**
	 * A response whose head is final.
	 */
	final class Recorded {

		private final int status;

		/**
		 * The headers that are stored.
		 */
		private final Map<String, List<String>> headers;

		private final boolean stored;

		private final ExchangeResponse.@Nullable Redirect redirect;

		private @Nullable HttpAnswer answer;

		private Recorded(int status, Map<String, List<String>> headers, boolean stored,
				ExchangeResponse.@Nullable Redirect redirect) {
			this.status = status;
			this.headers = headers;
			this.stored = stored;
			this.redirect = redirect;
		}

		boolean isToBeStored() {
			return this.stored;
		}

		int status() {
			return this.status;
		}

		EffectHeader effect() {
			return effectOf(this.status);
		}

		/**
		 * Sends what the client has not received yet.
		 */
		void send(HttpServletResponse container) throws IOException {
			RecordedBody recorded = AnswerRecorder.this.body;
			if (recorded == null) {
				return;
			}
			if (recorded.isFlowing()) {
				recorded.finish();
				return;
			}
			writeEffect(container, this.status);
			String expires = AnswerRecorder.this.run.expires();
			if (expires != null) {
				container.setHeader(Settlement.EXPIRES, expires);
			}
			// The container has the headers already
			ServletAnswers.sendWithoutHeaders(toAnswer(), container);
		}

		HttpAnswer toAnswer() {
			if (this.answer == null) {
				this.answer = newAnswer();
			}
			return this.answer;
		}

		private HttpAnswer newAnswer() {
			RecordedBody recorded = AnswerRecorder.this.body;
			AnswerBody bytes = (recorded != null) ? recorded.bytes() : AnswerBody.empty();
			if (this.redirect == null) {
				boolean streamed = recorded != null && recorded.isFlowing() && !recorded.isLengthDeclared();
				return new HttpAnswer(this.status, streamed ? Delivery.STREAMED : Delivery.WHOLE, this.headers, bytes);
			}
			Map<String, List<String>> withLocation = new LinkedHashMap<>(this.headers);
			withLocation.put(HttpHeaders.LOCATION, List.of(this.redirect.location()));
			return new HttpAnswer(this.redirect.status(), Delivery.REDIRECT, withLocation, bytes);
		}

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
