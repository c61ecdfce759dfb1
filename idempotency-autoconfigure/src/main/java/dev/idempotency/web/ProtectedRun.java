package dev.idempotency.web;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.StoredAnswers;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.web.HttpAnswer.Delivery;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * A handler that runs under a claim, from the claim to the answer. The answer is stored
 * when it is final, and then sent.
 */
final class ProtectedRun implements IdempotencyContext, RecordedBody.Channel {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyFilter.class);

	private final Exchange exchange;

	private final ProtectedOperation operation;

	private final Object handler;

	private final @Nullable IdempotencyKey key;

	/**
	 * There is none on a dry run.
	 */
	private final @Nullable Execution execution;

	private final ResponseHeaders headersBefore;

	private @Nullable RecordedBody body;

	/**
	 * What was sent ahead of a body that flows.
	 */
	private @Nullable Head sentHead;

	private volatile Effect effect;

	private volatile boolean released;

	private volatile @Nullable Interruption interruption;

	private boolean errorPending;

	private boolean taskRunning;

	private boolean detached;

	private boolean settled;

	private final List<Callback> heldBack = new ArrayList<>(0);

	ProtectedRun(Exchange exchange, ProtectedOperation operation, Object handler, @Nullable IdempotencyKey key,
			@Nullable Execution execution) {
		this.exchange = exchange;
		this.operation = operation;
		this.handler = handler;
		this.key = key;
		this.execution = execution;
		this.effect = operation.effect();
		this.headersBefore = ResponseHeaders.of(exchange.response().container());
	}

	/**
	 * Records the answer on a response. A further dispatch has its own, and begins anew.
	 */
	void recordOn(ExchangeResponse response) {
		if (!isSettled()) {
			this.body = response.record(this, this.exchange.rules().maxResponseBody());
			if (this.body == null) {
				logger.warn("The answer of {} is written past its record and cannot be replayed: a filter has asked "
						+ "for the body of the response before the handler did", this.handler);
			}
		}
	}

	@Override
	public IdempotencyKey key() {
		if (this.key == null) {
			throw new IllegalStateException("This is the dry run of a request without a key");
		}
		return this.key;
	}

	@Override
	public int attempt() {
		return (this.execution != null) ? this.execution.attempt() : 1;
	}

	@Override
	public void effect(Effect effect) {
		this.effect = effect;
	}

	@Override
	public void doNotStore() {
		this.released = true;
	}

	/**
	 * The handler did not even begin: there is nothing to remember.
	 */
	void handlerNotReached() {
		this.released = true;
	}

	/**
	 * Something ended the answer before the handler did.
	 */
	void interrupted(Interruption interruption) {
		this.interruption = interruption;
	}

	boolean isFlowing() {
		return this.body != null && this.body.isFlowing();
	}

	boolean isClientGone() {
		return this.body != null && this.body.isClientGone();
	}

	// The way to the client

	@Override
	public boolean mayFlow() {
		// An error is rendered by someone else, in one piece
		boolean streams = this.operation.streams() && !this.errorPending;
		return streams || this.exchange.request().isAsyncStarted() || isEndless();
	}

	@Override
	public boolean isEndless() {
		String type = this.exchange.response().getContentType();
		return type != null && type.startsWith(MediaType.TEXT_EVENT_STREAM_VALUE);
	}

	@Override
	public ServletOutputStream open(long declaredLength) throws IOException {
		HttpServletResponse container = this.exchange.response().container();
		this.sentHead = currentHead(container);
		writeEffect(container, this.sentHead.status());
		if (declaredLength >= 0) {
			container.setContentLengthLong(declaredLength);
		}
		return container.getOutputStream();
	}

	@Override
	public void flush() throws IOException {
		this.exchange.response().container().flushBuffer();
	}

	// The end

	void endOfDispatch() throws IOException {
		if (isDetached() || isSettled()) {
			return;
		}
		if (this.exchange.response().isErrorSent() && !this.errorPending) {
			// The container renders the error in a dispatch of its own
			this.errorPending = true;
			return;
		}
		settle(true);
	}

	void completedByHandler() {
		try {
			settle(true);
		}
		catch (IOException ex) {
			logger.debug("The client of {} is gone", this.handler, ex);
		}
	}

	void failed() {
		if (isDetached() || isSettled()) {
			return;
		}
		ExchangeResponse response = this.exchange.response();
		if (this.operation.store() == StoredAnswers.ALL && !isFlowing() && !this.errorPending) {
			this.errorPending = true;
			return;
		}
		if (!beginToSettle()) {
			return;
		}
		response.letThrough();
		if (!this.detached && !response.isCommitted()) {
			writeEffect(response.container(), HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
		if (this.execution != null) {
			if (isCutOff()) {
				this.execution.completeWithoutResult();
			}
			else {
				this.execution.close();
			}
		}
	}

	/**
	 * Whether the client hung up in the middle of an answer of which nothing is kept: the
	 * handler then cannot go on, but it has run.
	 */
	private boolean isCutOff() {
		return this.interruption == Interruption.CLIENT_GONE || (isClientGone() && !isKept());
	}

	private boolean isKept() {
		return this.body != null && this.body.isKept();
	}

	/**
	 * The container is done with the request. If it was to render an error, and did not,
	 * nobody has seen its body. But after asynchronous processing it says so too early:
	 * the error may still be rendered, or never.
	 */
	void requestIsOver() {
		if (isDetached() || isSettled()) {
			return;
		}
		if (this.errorPending && this.exchange.isAsync()) {
			if (this.execution != null) {
				this.execution.letLeaseRunOut();
			}
			return;
		}
		try {
			if (this.errorPending) {
				settle(false);
			}
			else {
				failed();
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException("Nothing was to be sent", ex);
		}
	}

	/**
	 * A handler writes its answer on a thread of its own.
	 */
	synchronized void taskStarted() {
		this.taskRunning = true;
	}

	/**
	 * The container says that the connection is broken. Whether the handler's task is to
	 * go on: there is a retry to write for.
	 */
	synchronized boolean outlives(@Nullable Throwable failure) {
		RecordedBody current = this.body;
		if (this.taskRunning && failure instanceof IOException && current != null && current.isFlowing()
				&& current.isKept()) {
			current.clientIsGone();
			this.detached = true;
		}
		return this.detached && this.taskRunning;
	}

	synchronized boolean isDetached() {
		return this.detached && this.taskRunning;
	}

	synchronized boolean holdBack(Callback callback) {
		return isDetached() && this.heldBack.add(callback);
	}

	/**
	 * The task has come to its end. Without a client there is no dispatch that would say
	 * so.
	 */
	void taskEnded(@Nullable Object result) {
		List<Callback> callbacks;
		synchronized (this) {
			boolean wasDetached = isDetached();
			this.taskRunning = false;
			if (!wasDetached) {
				return;
			}
			callbacks = List.copyOf(this.heldBack);
		}
		try {
			if (result instanceof Throwable) {
				failed();
			}
			else {
				settle(false);
			}
			for (Callback callback : callbacks) {
				callback.run();
			}
		}
		catch (IOException ex) {
			logger.debug("The client of {} is gone", this.handler, ex);
		}
	}

	private synchronized boolean isSettled() {
		return this.settled;
	}

	private synchronized boolean beginToSettle() {
		boolean first = !this.settled;
		this.settled = true;
		return first;
	}

	private void settle(boolean send) throws IOException {
		if (!beginToSettle()) {
			return;
		}
		ExchangeResponse response = this.exchange.response();
		RecordedBody recorded = this.body;
		if (recorded != null) {
			recorded.seal();
			response.drainWriter();
		}
		ExchangeResponse.Redirect redirect = response.redirect();
		Head head = (this.sentHead != null) ? this.sentHead : currentHead(response);
		response.letThrough();
		Completion completion = complete(head, redirect);
		if (!send) {
			return;
		}
		if (completion instanceof Completion.Superseded superseded) {
			answerLike(superseded.decision());
		}
		else if (recorded != null && recorded.isFlowing()) {
			recorded.finish();
		}
		else if (recorded != null) {
			HttpServletResponse container = response.container();
			writeEffect(container, head.status());
			// The container has the head already
			ownAnswer(new Head(head.status(), Map.of(), head.stored()), redirect).send(container);
		}
	}

	private @Nullable Completion complete(Head head, ExchangeResponse.@Nullable Redirect redirect) {
		if (this.execution == null) {
			return null;
		}
		if (isCutOff()) {
			return this.execution.completeWithoutResult();
		}
		if (!head.stored() || this.released || this.interruption == Interruption.FAILURE) {
			this.execution.close();
			return null;
		}
		return isKept() ? this.execution.complete(ownAnswer(head, redirect).encode())
				: this.execution.completeWithoutResult();
	}

	private HttpAnswer ownAnswer(Head head, ExchangeResponse.@Nullable Redirect redirect) {
		RecordedBody recorded = this.body;
		ByteBuffer bytes = (recorded != null) ? ByteBuffer.wrap(recorded.bytes(), 0, recorded.size())
				: ByteBuffer.allocate(0);
		if (redirect == null) {
			boolean streamed = recorded != null && recorded.isFlowing() && !recorded.isLengthDeclared();
			return new HttpAnswer(head.status(), streamed ? Delivery.STREAMED : Delivery.WHOLE, head.headers(), bytes);
		}
		Map<String, List<String>> headers = new LinkedHashMap<>(head.headers());
		headers.put(HttpHeaders.LOCATION, List.of(redirect.location()));
		return new HttpAnswer(redirect.status(), Delivery.REDIRECT, headers, bytes);
	}

	private Head currentHead(HttpServletResponse response) {
		int status = response.getStatus();
		Map<String, List<String>> headers = ResponseHeaders.changed(response, this.headersBefore,
				this.exchange.rules().keptHeaders());
		String language = this.exchange.response().language();
		if (language != null) {
			headers.putIfAbsent(HttpHeaders.CONTENT_LANGUAGE, List.of(language));
		}
		return new Head(status, headers, shouldStore(status));
	}

	private boolean shouldStore(int status) {
		return switch (this.operation.store()) {
			case ALL -> true;
			case SUCCESSFUL -> status < 400;
			case BY_POLICY -> this.exchange.rules().policy().shouldStore(this.exchange.request(), status);
		};
	}

	/**
	 * Someone else has the key: never two answers for one key.
	 */
	private void answerLike(Decision decision) throws IOException {
		HttpServletResponse container = this.exchange.response().container();
		if (container.isCommitted()) {
			throw new IOException("The answer of another attempt counts: this one must not come to its end");
		}
		this.headersBefore.restore(container);
		try {
			Replies.toAnswer(decision, this.operation.policy(), key()).send(container);
		}
		catch (IdempotencyException ex) {
			EffectHeader.NONE.writeTo(container);
			this.exchange.rules().problemRenderer().render(this.exchange.request(), container, this.handler, ex);
		}
	}

	private void writeEffect(HttpServletResponse response, int status) {
		EffectHeader header = EffectHeader.of(this.effect, this.exchange.request().getMethod(), status);
		((this.execution != null) ? header : header.onDryRun()).writeTo(response);
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

	/**
	 * The head of an answer.
	 *
	 * @param status the status
	 * @param headers the headers that are kept
	 * @param stored whether such an answer is stored
	 */
	private record Head(int status, Map<String, List<String>> headers, boolean stored) {
	}

	/**
	 * Something to be told later.
	 */
	@FunctionalInterface
	interface Callback {

		void run() throws IOException;

	}

}
