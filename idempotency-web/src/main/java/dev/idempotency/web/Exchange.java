package dev.idempotency.web;

import java.io.IOException;
import java.util.Map;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.RequestBodyTooLargeException;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.WebUtils;

/**
 * One request and its response in the filter, across all of their dispatches. It does
 * nothing until its request turns out to be protected.
 */
final class Exchange {

	private final AnswerRules rules;

	/**
	 * The request and the response of the current dispatch. An asynchronous dispatch, or
	 * one for an error, may bring others.
	 */
	private ExchangeRequest request;

	private ExchangeResponse response;

	/**
	 * Whether the request was processed asynchronously at any time.
	 */
	private boolean async;

	/**
	 * Whether an error page is rendered by a forward, after our filter has returned.
	 */
	private boolean errorForwarded;

	private boolean decided;

	private @Nullable IdempotencyException refusal;

	/**
	 * The run of the handler, if it is protected and runs.
	 */
	private @Nullable ProtectedRun run;

	/**
	 * The response that is sent instead of the handler's.
	 */
	private @Nullable HttpAnswer known;

	/**
	 * The handler that was not reached, because the decision about it has failed.
	 */
	private @Nullable Object notReached;

	private @Nullable RequestReader reader;

	/**
	 * Leads the handler's own threads to the container's asynchronous processing, if
	 * there are any.
	 */
	private volatile @Nullable Outlet asyncOutlet;

	/**
	 * Whether the filter has not returned yet.
	 */
	private boolean inDispatch;

	/**
	 * Whether a dispatch has failed in the middle of a response.
	 */
	private boolean brokenOff;

	/**
	 * The effect header of a dispatch that failed.
	 */
	private @Nullable String failedEffect;

	Exchange(AnswerRules rules, HttpServletRequest request, HttpServletResponse response) {
		this.rules = rules;
		this.request = new ExchangeRequest(request, this);
		this.response = new ExchangeResponse(response, rules.keptHeaders());
	}

	/**
	 * The exchange of a request.
	 */
	static @Nullable Exchange of(ServletRequest request) {
		return (Exchange) request.getAttribute(ExchangeRequest.OWNER);
	}

	AnswerRules rules() {
		return this.rules;
	}

	ExchangeRequest request() {
		return this.request;
	}

	ExchangeResponse response() {
		return this.response;
	}

	boolean isAsync() {
		return this.async;
	}

	boolean isErrorForwarded() {
		return this.errorForwarded;
	}

	/**
	 * Whether an error page is rendered.
	 */
	boolean isErrorPage() {
		return this.errorForwarded || this.request.getDispatcherType() == DispatcherType.ERROR;
	}

	/**
	 * Lets the container's own request know the exchange, which further dispatches may
	 * bring.
	 */
	void outliveDispatch() {
		this.request.setAttribute(ExchangeRequest.OWNER, this);
	}

	/**
	 * Remembers that this request itself is refused.
	 */
	void refused(IdempotencyException problem) {
		this.refusal = problem;
	}

	/**
	 * Whether an exception refuses this request. Other exceptions come from what its
	 * handler has called.
	 */
	boolean isRefusal(Exception ex) {
		return ex.equals(this.refusal);
	}

	/**
	 * Accepts the request and the response of another dispatch. An asynchronous dispatch
	 * brings our wrappers, and an error dispatch the container's own objects.
	 */
	void continueWith(HttpServletRequest request, HttpServletResponse response) {
		if (WebUtils.getNativeRequest(request, ExchangeRequest.class) == null) {
			this.request = new ExchangeRequest(request, this);
		}
		if (WebUtils.getNativeResponse(response, ExchangeResponse.class) == null) {
			beginAnew(response);
		}
		else if (this.errorForwarded) {
			// The filter that forwards flushes the former response at its end
			this.response.drop();
			beginAnew(this.response.container());
		}
	}

	private void beginAnew(HttpServletResponse response) {
		// Code that still holds the former response must not write in this dispatch
		closeOutlet();
		if (this.asyncOutlet != null) {
			this.asyncOutlet.close();
			this.asyncOutlet = null;
		}
		this.response = new ExchangeResponse(response, this.rules.keptHeaders());
		if (this.run != null) {
			this.run.recordOn(this.response);
		}
		if (this.failedEffect != null && this.errorForwarded) {
			// The filter that forwards has reset the response
			response.setHeader(EffectHeader.NAME, this.failedEffect);
		}
	}

	/**
	 * Whether a forwarded request is the error page of a dispatch that has ended, and not
	 * part of a running one. It remains one until the end of the request.
	 */
	boolean isErrorPageBegun(ServletRequest request) {
		if (this.inDispatch || request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) == null) {
			return false;
		}
		this.errorForwarded = true;
		return true;
	}

	HttpServletRequest requestFor(HttpServletRequest given) {
		return (WebUtils.getNativeRequest(given, ExchangeRequest.class) != null) ? given : this.request;
	}

	HttpServletResponse responseFor(HttpServletResponse given) {
		if (this.errorForwarded || WebUtils.getNativeResponse(given, ExchangeResponse.class) == null) {
			return this.response;
		}
		return (given instanceof ExchangeResponse) ? given : new SendErrorWatch(given, this);
	}

	// The content of the request

	@Nullable BufferedBody body() {
		return (this.reader != null) ? this.reader.body() : null;
	}

	@Nullable Map<String, String[]> form() {
		return (this.reader != null) ? this.reader.form() : null;
	}

	/**
	 * Reads the content of the request ahead of its handler, which can still read it.
	 * @param outermost the request as the handler sees it
	 * @param maxBody the largest body, in bytes
	 * @throws RequestBodyTooLargeException if it is too large
	 * @throws RequestBodyUnreadableException if it cannot be read
	 */
	RequestContent readContent(HttpServletRequest outermost, int maxBody) {
		this.reader = new RequestReader(this.request, maxBody, this.rules.formLimits());
		return this.reader.read(outermost);
	}

	/**
	 * The handler runs although its request should have been refused.
	 */
	void admitNevertheless() {
		if (this.reader != null) {
			this.reader.readToTheEnd();
		}
	}

	// The decision

	/**
	 * Lets the handler run, and records its response.
	 */
	ProtectedRun arm(ProtectedRun armed) {
		armed.recordOn(this.response);
		this.rules.ends().whenOver(this.request, this::requestIsOver);
		this.decided = true;
		this.run = armed;
		return armed;
	}

	/**
	 * Responds without the handler. What other code writes meanwhile is dropped.
	 */
	void answerWith(HttpAnswer answer) {
		this.request.discardBody();
		this.decided = true;
		this.known = answer;
		this.response.drop();
	}

	/**
	 * The handler does not run, because the decision about it has failed.
	 */
	void handlerNotReached(Object handler) {
		if (this.run == null) {
			ServletAnswers.writeEffect(EffectHeader.NONE, this.response);
			this.notReached = handler;
		}
	}

	/**
	 * Whether the decision about a handler is still to be made.
	 */
	boolean isUndecided() {
		return !this.decided;
	}

	/**
	 * Whether a known response is about to be sent.
	 */
	boolean isAnswered() {
		return this.known != null;
	}

	/**
	 * Whether the filter has returned, or the key is settled: what runs now is not
	 * protected.
	 */
	boolean isLeft() {
		return !this.inDispatch || (this.run != null && this.run.isSettled());
	}

	@Nullable ProtectedRun run() {
		return this.run;
	}

	/**
	 * Whether the handler continues without its client, outside of any dispatch.
	 */
	boolean isDetached() {
		return this.run != null && this.run.isDetached();
	}

	// Asynchronous processing

	/**
	 * Continues with the container's own response, without the wrappers of other filters,
	 * and still records.
	 */
	AsyncContext asyncStarted(AsyncContext started) {
		if (this.run != null && started.getResponse() instanceof HttpServletResponse original) {
			this.response.continueOn(original);
		}
		return asyncStarted(started, this.request, this.response);
	}

	AsyncContext asyncStarted(AsyncContext started, ServletRequest request, ServletResponse response) {
		this.async = true;
		outliveDispatch();
		ProtectedRun running = this.run;
		if (running == null) {
			return started;
		}
		if (this.asyncOutlet == null) {
			this.asyncOutlet = new Outlet();
		}
		this.response.leadThroughOutlet();
		return new ExchangeAsyncContext(started, request, response, this, running, this.asyncOutlet);
	}

	/**
	 * Only the container's own dispatches reach its response from now on, and no longer
	 * the threads of the handler.
	 */
	void closeOutlet() {
		this.response.closeOutlet();
	}

	/**
	 * Fails if the handler must not continue outside of its dispatch.
	 */
	void requireFreeToLeaveDispatch() {
		if (this.run != null) {
			this.run.requireFreeToLeaveDispatch();
		}
	}

	// The end

	void enterDispatch() {
		this.inDispatch = true;
	}

	/**
	 * A dispatch has ended, and no asynchronous one follows.
	 */
	void endOfDispatch() throws IOException {
		HttpAnswer answer = this.known;
		if (this.run != null) {
			this.run.endOfDispatch();
		}
		else if (answer != null) {
			this.known = null;
			this.response.letThrough();
			ServletAnswers.send(answer, this.response.outlet());
		}
		else if (this.notReached != null && !this.response.isBodyTaken()) {
			SwallowedFailure.reveal(this, this.notReached);
		}
	}

	/**
	 * Fails if the response must not be finished.
	 */
	void failIfCut() throws IOException {
		if (this.run != null) {
			this.run.failIfCut();
		}
	}

	/**
	 * The filter returns, and asynchronous processing continues.
	 */
	void pauseDispatch() {
		this.inDispatch = false;
	}

	/**
	 * A dispatch has failed, and an error is to be rendered.
	 */
	void dispatchFailed() {
		this.brokenOff = this.run != null && this.response.isCommitted();
		if (this.run != null) {
			this.run.failed();
		}
		if (!this.errorForwarded) {
			this.failedEffect = this.response.getHeader(EffectHeader.NAME);
		}
	}

	/**
	 * Whether the response was sent in part, and the client must not take that part for
	 * the whole.
	 */
	boolean isBrokenOff() {
		return this.brokenOff || (this.run != null && this.run.isCut() && this.response.isCommitted());
	}

	/**
	 * A dispatch has ended, successfully or not.
	 */
	void leaveDispatch() {
		this.inDispatch = false;
		// The error of an asynchronous dispatch is rendered through the response of the
		// handler
		if (this.run != null && this.run.isSettled()
				&& !(this.failedEffect != null && this.rules.ends().errorsAreForwarded())) {
			closeOutlet();
		}
	}

	/**
	 * The container has finished the request, and may reuse its objects.
	 */
	void requestIsOver() {
		ProtectedRun ended = this.run;
		if (ended != null) {
			try {
				ended.requestIsOver();
			}
			finally {
				letContainerGo(ended);
			}
		}
	}

	private void letContainerGo(ProtectedRun ended) {
		this.response.closeOutletSoon();
		Outlet async = this.asyncOutlet;
		if (async != null) {
			async.closeSoon();
		}
		if (ended.isDetached()) {
			this.request.end(EndedRequest.of(this.request));
		}
		else {
			ended.recordNothingMore();
			this.response.end();
			this.request.end(EndedRequest.FORGOTTEN);
		}
	}

	/**
	 * A listener of the container reports the end of the request. Some containers report
	 * it after each dispatch, so the end of asynchronous processing is taken from
	 * {@code onComplete} instead.
	 */
	void requestDestroyed() {
		if (this.asyncOutlet == null) {
			requestIsOver();
		}
	}

	/**
	 * Notices an error that is sent on an asynchronous dispatch, even if a wrapper
	 * between the handler and our response holds it back. Some wrappers do, and render it
	 * after our filter has returned.
	 */
	private static final class SendErrorWatch extends HttpServletResponseWrapper {

		private final Exchange exchange;

		private SendErrorWatch(HttpServletResponse response, Exchange exchange) {
			super(response);
			this.exchange = exchange;
		}

		@Override
		public void sendError(int status) throws IOException {
			super.sendError(status);
			this.exchange.response().errorSent();
		}

		@Override
		public void sendError(int status, @Nullable String message) throws IOException {
			super.sendError(status, message);
			this.exchange.response().errorSent();
		}

	}

}
