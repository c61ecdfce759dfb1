package dev.idempotency.web;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.Effect;
import dev.idempotency.http.AnswerBody;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HandlerTransaction;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpAnswer.Delivery;
import dev.idempotency.http.ProtectedOperation;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * Records the response of a handler, and streams it to the client if it is written piece
 * by piece.
 */
final class AnswerRecorder implements RecordedBody.Channel {

	private final CurrentDispatch dispatch;

	private final ProtectedOperation operation;

	private final ResponseHeaders headersBefore;

	private final HandlerTransaction transaction;

	private final boolean dryRun;

	private final Client client;

	private @Nullable RecordedBody body;

	/**
	 * The response that the body streams to, if it streams.
	 */
	private ExchangeResponse outlet;

	/**
	 * The head that was sent before a body that streams.
	 */
	private @Nullable Head sentHead;

	private volatile Effect effect;

	private volatile boolean effectUnknown;

	private volatile boolean handlerReached = true;

	private volatile boolean inOnePiece;

	AnswerRecorder(CurrentDispatch dispatch, ProtectedOperation operation, HandlerTransaction transaction,
			boolean dryRun, Client client) {
		this.dispatch = dispatch;
		this.operation = operation;
		this.transaction = transaction;
		this.dryRun = dryRun;
		this.client = client;
		this.effect = operation.effect();
		this.outlet = dispatch.response();
		this.headersBefore = ResponseHeaders.of(this.outlet.container());
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
		this.outlet = response;
		this.body = response.record(this, this.operation.limits().response());
		return this.body != null;
	}

	/**
	 * Continues the record on another response.
	 */
	void continueOn(ExchangeResponse response) {
		this.outlet = response;
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

	@Nullable RecordedBody body() {
		return this.body;
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

	@Override
	public boolean mayFlow() {
		if (this.transaction.isActive()) {
			// The response is sent after the commit
			return false;
		}
		return (this.operation.streams() && !this.inOnePiece) || isWrittenAside() || isEndless();
	}

	/**
	 * On the container's thread, only a flush shows that the handler wants to stream.
	 * What Spring lets other threads write to cannot be flushed.
	 */
	@Override
	public boolean mayFlowUnasked() {
		return isWrittenAside();
	}

	/**
	 * Whether the body is written outside of a dispatch. After a timeout, containers
	 * render the error while the request still counts as asynchronous.
	 */
	private boolean isWrittenAside() {
		return this.dispatch.isAsync() && !isClientGone() && isAsyncStarted() && !this.dispatch.isErrorPage();
	}

	/**
	 * Tomcat refuses to be asked on the handler's thread once the client has
	 * disconnected.
	 */
	private boolean isAsyncStarted() {
		try {
			return this.dispatch.request().isAsyncStarted();
		}
		catch (IllegalStateException ex) {
			if (!isClientGone()) {
				throw ex;
			}
			return false;
		}
	}

	@Override
	public boolean isEndless() {
		if (this.transaction.isActive()) {
			return false;
		}
		String type = this.dispatch.response().getContentType();
		return type != null && type.startsWith(MediaType.TEXT_EVENT_STREAM_VALUE);
	}

	@Override
	public void open(long declaredLength) throws IOException {
		if (this.transaction.isActive()) {
			throw new IllegalStateException(
					"The response is larger than the %d bytes that are stored, and must not be sent before the "
						.formatted(this.operation.limits().response())
							+ "transaction is committed. Raise max-response-body, or leave transactional = true out");
		}
		HttpServletResponse container = this.outlet.container();
		this.sentHead = currentHead(container);
		writeEffect(container, this.sentHead.status());
		if (declaredLength >= 0) {
			container.setContentLengthLong(declaredLength);
		}
	}

	@Override
	public void write(byte[] source, int offset, int length) throws IOException {
		this.outlet.container().getOutputStream().write(source, offset, length);
	}

	@Override
	public void flush() throws IOException {
		this.outlet.container().flushBuffer();
	}

	@Override
	public void close() throws IOException {
		this.outlet.container().getOutputStream().close();
	}

	@Override
	public void clientLost() {
		this.client.clientLost();
	}

	/**
	 * Ends the record. A body that does not stream yet is held from now on.
	 * @return the response, with or without its whole body
	 */
	Recorded end() {
		ExchangeResponse response = this.dispatch.response();
		if (this.body != null) {
			this.body.seal(response::drainWriter);
		}
		Head head = (this.sentHead != null) ? this.sentHead : currentHead(response);
		return new Recorded(head, response.redirect());
	}

	private Head currentHead(HttpServletResponse response) {
		int status = response.getStatus();
		Map<String, List<String>> headers = ResponseHeaders.changed(response, this.headersBefore,
				this.dispatch.rules().keptHeaders());
		String language = this.dispatch.response().language();
		if (language != null && !headers.containsKey(HttpHeaders.CONTENT_LANGUAGE)) {
			headers = ResponseHeaders.with(headers, HttpHeaders.CONTENT_LANGUAGE, List.of(language));
		}
		return new Head(status, headers, isToBeStored(status));
	}

	boolean isToBeStored(int status) {
		return switch (this.operation.store()) {
			case ALL -> true;
			case SUCCESSFUL -> status < 400;
			case BY_POLICY ->
				this.dispatch.rules().policy().shouldStore(ServletFacts.afterHandler(this.dispatch.request()), status);
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
		ServletAnswers.writeEffect(this.dryRun ? effectOf(status).onDryRun() : effectOf(status), container);
	}

	private EffectHeader effectOf(int status) {
		return EffectHeader.of(this.effect, this.dispatch.request().getMethod(), status);
	}

	/**
	 * Is notified when the client disconnects.
	 */
	interface Client {

		/**
		 * The client has disconnected.
		 */
		void clientLost();

	}

	/**
	 * The head of a response.
	 *
	 * @param status the status
	 * @param headers the headers that are stored
	 * @param stored whether such a response is stored
	 */
	private record Head(int status, Map<String, List<String>> headers, boolean stored) {
	}

	/**
	 * A response that is final.
	 */
	final class Recorded {

		private final Head head;

		private final ExchangeResponse.@Nullable Redirect redirect;

		private @Nullable HttpAnswer answer;

		private Recorded(Head head, ExchangeResponse.@Nullable Redirect redirect) {
			this.head = head;
			this.redirect = redirect;
		}

		boolean isToBeStored() {
			return this.head.stored();
		}

		int status() {
			return this.head.status();
		}

		EffectHeader effect() {
			return effectOf(this.head.status());
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
			writeEffect(container, this.head.status());
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
				return new HttpAnswer(this.head.status(), streamed ? Delivery.STREAMED : Delivery.WHOLE,
						this.head.headers(), bytes);
			}
			Map<String, List<String>> withLocation = new LinkedHashMap<>(this.head.headers());
			withLocation.put(HttpHeaders.LOCATION, List.of(this.redirect.location()));
			return new HttpAnswer(this.redirect.status(), Delivery.REDIRECT, withLocation, bytes);
		}

	}

}
