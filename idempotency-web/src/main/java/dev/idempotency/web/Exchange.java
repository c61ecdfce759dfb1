package dev.idempotency.web;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;

import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.RequestBodyTooLargeException;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.util.WebUtils;

/**
 * One request and its response in the filter, across all of their dispatches. It does
 * nothing until its request turns out to be protected.
 */
final class Exchange extends CurrentDispatch implements ExchangeAsyncContext.Owner {

	private boolean decided;

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
	 * The tether by which the handler's own threads reach the response, if there are any.
	 */
	private volatile @Nullable Tether tether;

	/**
	 * The tether by which they reach the container's asynchronous processing.
	 */
	private volatile @Nullable Tether asyncTether;

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
		super(rules, request, response);
	}

	/**
	 * The exchange of a request.
	 */
	static @Nullable Exchange of(ServletRequest request) {
		return (Exchange) request.getAttribute(ExchangeRequest.OWNER);
	}

	/**
	 * Accepts the request and the response of another dispatch. An asynchronous dispatch
	 * brings our wrappers, and an error dispatch the container's own objects.
	 */
	void continueWith(HttpServletRequest request, HttpServletResponse response) {
		if (WebUtils.getNativeRequest(request, ExchangeRequest.class) == null) {
			requestIs(request);
		}
		if (WebUtils.getNativeResponse(response, ExchangeResponse.class) == null) {
			beginAnew(response);
		}
		else if (isErrorForwarded()) {
			// The filter that forwards flushes the former response at its end
			response().drop();
			beginAnew(response().untethered());
		}
	}

	private void beginAnew(HttpServletResponse response) {
		// Code that still holds the former response must not write in this dispatch
		untie();
		this.tether = null;
		this.asyncTether = null;
		responseIs(new ExchangeResponse(response, rules().keptHeaders()));
		if (this.run != null) {
			this.run.recordOn(response());
		}
		if (this.failedEffect != null && isErrorForwarded()) {
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
		errorIsForwarded();
		return true;
	}

	HttpServletRequest requestFor(HttpServletRequest given) {
		return (WebUtils.getNativeRequest(given, ExchangeRequest.class) != null) ? given : request();
	}

	HttpServletResponse responseFor(HttpServletResponse given) {
		if (isErrorForwarded() || WebUtils.getNativeResponse(given, ExchangeResponse.class) == null) {
			return response();
		}
		return (given instanceof ExchangeResponse) ? given : new SendErrorWatch(given, this);
	}

	// The content of the request

	@Override
	public @Nullable BufferedBody body() {
		return (this.reader != null) ? this.reader.body() : null;
	}

	@Override
	public @Nullable Map<String, String[]> form() {
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
		this.reader = new RequestReader(request(), maxBody, rules().formLimits());
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
		armed.recordOn(response());
		rules().ends().whenOver(request(), this::requestIsOver);
		this.decided = true;
		this.run = armed;
		return armed;
	}

	/**
	 * Responds without the handler. What other code writes meanwhile is dropped.
	 */
	void answerWith(HttpAnswer answer) {
		request().discardBody();
		this.decided = true;
		this.known = answer;
		response().drop();
	}

	/**
	 * The handler does not run, because the decision about it has failed.
	 */
	void handlerNotReached(Object handler) {
		if (this.run == null) {
			ServletAnswers.writeEffect(EffectHeader.NONE, response());
			this.notReached = handler;
		}
	}

	/**
	 * Whether the decision about a handler is still to be made.
	 */
	boolean isUndecided() {
		return !this.decided;
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
	@Override
	public AsyncContext asyncStarted(AsyncContext started) {
		if (this.run != null && started.getResponse() instanceof HttpServletResponse original) {
			responseIs(new ExchangeResponse(original, response()));
			this.run.continueOn(response());
		}
		return asyncStarted(started, request(), response());
	}

	@Override
	public AsyncContext asyncStarted(AsyncContext started, ServletRequest request, ServletResponse response) {
		asyncIsUnderWay();
		if (this.run == null) {
			return started;
		}
		Tether tied = this.tether;
		if (tied == null) {
			tied = new Tether();
			this.tether = tied;
			this.asyncTether = new Tether();
		}
		response().tie(tied);
		return new ExchangeAsyncContext(started, request, response, this, asyncTether());
	}

	private Tether asyncTether() {
		return Objects.requireNonNull(this.asyncTether, "no asynchronous processing has started");
	}

	@Override
	public void untie() {
		Tether tied = this.tether;
		if (tied != null) {
			tied.untie(response()::keepHead);
		}
	}

	@Override
	public void requireFreeToLeaveDispatch() {
		if (this.run != null) {
			this.run.requireFreeToLeaveDispatch();
		}
	}

	@Override
	public boolean wasDetached() {
		return this.run != null && this.run.wasDetached();
	}

	@Override
	public boolean holdBack(ExchangeAsyncContext.Callback callback) {
		return this.run != null && this.run.holdBack(callback);
	}

	@Override
	public void completedByHandler() {
		if (this.run != null) {
			this.run.completedByHandler();
		}
	}

	@Override
	public boolean isCut() {
		return this.run != null && this.run.isCut();
	}

	@Override
	public void timedOut() {
		if (this.run != null) {
			this.run.timedOut(rules().ends().errorsAreForwarded());
		}
	}

	@Override
	public void taskFailed(Throwable failure) {
		if (this.run != null) {
			this.run.startedTaskFailed(failure);
		}
	}

	@Override
	public void connectionLost() {
		// A thread that is writing fails first
		untie();
		if (this.run != null) {
			this.run.connectionLost();
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
			response().letThrough();
			ServletAnswers.send(answer, response().container());
		}
		else if (this.notReached != null && !response().isBodyTaken()) {
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
		this.brokenOff = this.run != null && response().isCommitted();
		if (this.run != null) {
			this.run.failed();
		}
		if (!isErrorForwarded()) {
			this.failedEffect = response().getHeader(EffectHeader.NAME);
		}
	}

	/**
	 * Whether the response was sent in part, and the client must not take that part for
	 * the whole.
	 */
	boolean isBrokenOff() {
		return this.brokenOff || (isCut() && response().isCommitted());
	}

	/**
	 * A dispatch has ended, successfully or not.
	 */
	void leaveDispatch() {
		this.inDispatch = false;
		// The error of an asynchronous dispatch is rendered through the response of the
		// handler
		if (this.run != null && this.run.isSettled()
				&& !(this.failedEffect != null && rules().ends().errorsAreForwarded())) {
			untie();
		}
	}

	/**
	 * The container has finished the request, and may reuse its objects.
	 */
	@Override
	public void requestIsOver() {
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
		Tether tied = this.tether;
		if (tied != null) {
			tied.untieSoon(response()::keepHead);
			asyncTether().untieSoon(() -> {
			});
		}
		if (ended.isDetached()) {
			request().end(EndedRequest.of(request()));
		}
		else {
			ended.recordNothingMore();
			response().end();
			request().end(EndedRequest.FORGOTTEN);
		}
	}

	/**
	 * A listener of the container reports the end of the request. Some containers report
	 * it after each dispatch, so the end of asynchronous processing is taken from
	 * {@code onComplete} instead.
	 */
	void requestDestroyed() {
		if (this.asyncTether == null) {
			requestIsOver();
		}
	}

}
