package dev.idempotency.web;

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
 * One request and its answer on their way through the filter, however often they are
 * dispatched. It does nothing until its request turns out to be protected.
 */
final class Exchange extends CurrentDispatch implements ExchangeAsyncContext.Owner {

	private Handling handling = Handling.UNDECIDED;

	private @Nullable RequestReader reader;

	/**
	 * What the handler's own threads reach the container by, if there are any.
	 */
	private volatile @Nullable Tether tether;

	/**
	 * What they reach the container's asynchronous processing by.
	 */
	private volatile @Nullable Tether asyncTether;

	/**
	 * Whether the filter has yet to return.
	 */
	private boolean inDispatch;

	/**
	 * Whether a dispatch has failed in the middle of an answer.
	 */
	private boolean brokenOff;

	/**
	 * What was said of the effect of a dispatch that failed.
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
	 * Takes what another dispatch of the same request brings. After an asynchronous one
	 * it is what we gave; after an error it is the container's own.
	 */
	void continueWith(HttpServletRequest request, HttpServletResponse response) {
		if (WebUtils.getNativeRequest(request, ExchangeRequest.class) == null) {
			requestIs(request);
		}
		if (WebUtils.getNativeResponse(response, ExchangeResponse.class) == null) {
			beginAnew(response);
		}
		else if (isErrorForwarded()) {
			// Who forwards flushes the former response in the end
			response().drop();
			beginAnew(response().untethered());
		}
	}

	private void beginAnew(HttpServletResponse response) {
		// Whoever still has the former response does not speak for this dispatch
		untie();
		this.tether = null;
		this.asyncTether = null;
		responseIs(new ExchangeResponse(response, rules().keptHeaders()));
		this.handling.recordOn(response());
		if (this.failedEffect != null && isErrorForwarded()) {
			// Who forwards has reset the response
			response.setHeader(EffectHeader.NAME, this.failedEffect);
		}
	}

	/**
	 * Whether a request that was forwarded is an error page for what was answered in a
	 * dispatch that is over, and no part of any. It stays one until the end.
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

	// What the request brings along

	@Override
	public @Nullable BufferedBody body() {
		return (this.reader != null) ? this.reader.body() : null;
	}

	@Override
	public @Nullable Map<String, String[]> form() {
		return (this.reader != null) ? this.reader.form() : null;
	}

	/**
	 * Reads what the request brings along, ahead of its handler, which will find it all
	 * the same.
	 * @param outermost the request as the handler sees it
	 * @param maxBody the largest body, in bytes
	 * @throws RequestBodyTooLargeException if it is too large
	 * @throws RequestBodyUnreadableException if it cannot be read
	 */
	RequestContent readContent(HttpServletRequest outermost, int maxBody) {
		this.reader = new RequestReader(request(), maxBody);
		return this.reader.read(outermost);
	}

	/**
	 * The handler runs although its request should have been turned away.
	 */
	void admitNevertheless() {
		if (this.reader != null) {
			this.reader.readToTheEnd();
		}
	}

	// What is decided

	/**
	 * Runs the handler, and records its answer.
	 */
	ProtectedRun arm(ProtectedRun armed) {
		armed.recordOn(response());
		rules().ends().whenOver(request(), this::requestIsOver);
		this.handling = armed;
		return armed;
	}

	/**
	 * Answers without the handler.
	 */
	void answerWith(HttpAnswer answer) {
		this.handling = new KnownAnswer(this, answer);
	}

	/**
	 * The handler does not run: what was to decide about it has failed.
	 */
	void handlerNotReached(Object handler) {
		if (!this.handling.isRun()) {
			ServletAnswers.writeEffect(EffectHeader.NONE, response());
			this.handling = new Handling() {

				@Override
				public void endOfDispatch() {
					if (!response().isBodyTaken()) {
						SwallowedFailure.reveal(Exchange.this, handler);
					}
				}

			};
		}
	}

	@Override
	public Handling handling() {
		return this.handling;
	}

	@Nullable ProtectedRun run() {
		return (this.handling instanceof ProtectedRun run) ? run : null;
	}

	// Asynchronous processing

	/**
	 * Goes on past those around us, but not past the record.
	 */
	@Override
	public AsyncContext asyncStarted(AsyncContext started) {
		if (this.handling.isRun() && started.getResponse() instanceof HttpServletResponse original) {
			responseIs(new ExchangeResponse(original, response()));
			this.handling.continueOn(response());
		}
		return asyncStarted(started, request(), response());
	}

	@Override
	public AsyncContext asyncStarted(AsyncContext started, ServletRequest request, ServletResponse response) {
		asyncIsUnderWay();
		if (!this.handling.isRun()) {
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
		return Objects.requireNonNull(this.asyncTether, "nothing goes on asynchronously");
	}

	@Override
	public void untie() {
		Tether tied = this.tether;
		if (tied != null) {
			tied.untie(response()::keepHead);
		}
	}

	@Override
	public void timedOut() {
		if (rules().ends().errorsAreForwarded()) {
			this.handling.timedOut();
		}
	}

	@Override
	public void connectionLost() {
		// Who is in the middle of writing fails first
		untie();
		this.handling.connectionLost();
	}

	// The end

	void enterDispatch() {
		this.inDispatch = true;
	}

	/**
	 * A dispatch is left, and another one follows.
	 */
	void pauseDispatch() {
		this.inDispatch = false;
	}

	/**
	 * A dispatch has failed, and somebody is to render an error.
	 */
	void dispatchFailed() {
		this.brokenOff = this.handling.isRun() && response().isCommitted();
		this.handling.failed();
		if (!isErrorForwarded()) {
			this.failedEffect = response().getHeader(EffectHeader.NAME);
		}
	}

	/**
	 * Whether the client must not take for the end of the answer what it has seen of it.
	 */
	boolean isBrokenOff() {
		return this.brokenOff || (this.handling.isCut() && response().isCommitted());
	}

	/**
	 * A dispatch is left, and what its handler has to say was said.
	 */
	void leaveDispatch() {
		this.inDispatch = false;
		// Who renders the error of an asynchronous dispatch does it by the response that
		// the handler had
		if (this.handling.isSettled() && !(this.failedEffect != null && rules().ends().errorsAreForwarded())) {
			untie();
		}
	}

	/**
	 * The container is done with the request, and takes back what it has given.
	 */
	@Override
	public void requestIsOver() {
		if (this.handling.isRun()) {
			try {
				this.handling.requestIsOver();
			}
			finally {
				letContainerGo();
			}
		}
	}

	private void letContainerGo() {
		Tether tied = this.tether;
		if (tied != null) {
			tied.untieSoon(response()::keepHead);
			asyncTether().untieSoon(() -> {
			});
		}
		if (this.handling.isDetached()) {
			request().end(EndedRequest.of(request()));
		}
		else {
			this.handling.recordNothingMore();
			response().end();
			request().end(EndedRequest.FORGOTTEN);
		}
	}

	/**
	 * A listener of the container's says that the request has ended. Some say so after
	 * each dispatch; whether asynchronous processing has ended is known better.
	 */
	void requestDestroyed() {
		if (this.asyncTether == null) {
			requestIsOver();
		}
	}

}
