package dev.idempotency.web;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.core.Execution;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.RequestBodyTooLargeException;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.util.WebUtils;

/**
 * One request and its answer on their way through the filter, however often they are
 * dispatched. It does nothing until its request turns out to be protected.
 */
final class Exchange {

	static final String ATTRIBUTE = Exchange.class.getName();

	private final AnswerRules rules;

	private @Nullable IdempotencyException refusal;

	/**
	 * A handler about which nothing could be decided.
	 */
	private @Nullable Object notReached;

	private ExchangeRequest request;

	private ExchangeResponse response;

	private @Nullable RequestReader reader;

	private @Nullable ProtectedRun run;

	private @Nullable HttpAnswer knownAnswer;

	/**
	 * What the handler's own threads reach the container by, if there are any.
	 */
	private volatile @Nullable Tether tether;

	/**
	 * What they reach the container's asynchronous processing by.
	 */
	private volatile @Nullable Tether asyncTether;

	private boolean async;

	private boolean over;

	Exchange(AnswerRules rules, HttpServletRequest request, HttpServletResponse response) {
		this.rules = rules;
		this.request = new ExchangeRequest(request, this);
		this.response = new ExchangeResponse(response, this);
	}

	/**
	 * The exchange of a request. Inside of the filter its wrapper knows it, and no
	 * attribute has to be set for all those requests that are not protected.
	 */
	static @Nullable Exchange of(ServletRequest request) {
		return (Exchange) request.getAttribute(ATTRIBUTE);
	}

	/**
	 * Lets the container's own request know the exchange: further dispatches may bring
	 * that.
	 */
	void outliveDispatch() {
		this.request.setAttribute(ATTRIBUTE, this);
	}

	/**
	 * Takes what another dispatch of the same request brings. After an asynchronous one
	 * it is what we gave; after an error it is the container's own.
	 */
	void continueWith(HttpServletRequest request, HttpServletResponse response) {
		if (WebUtils.getNativeRequest(request, ExchangeRequest.class) == null) {
			this.request = new ExchangeRequest(request, this);
		}
		if (WebUtils.getNativeResponse(response, ExchangeResponse.class) == null) {
			// Whoever still has the former response does not speak for this dispatch
			untie();
			this.tether = null;
			this.asyncTether = null;
			this.response = new ExchangeResponse(response, this);
			if (this.run != null) {
				this.run.recordOn(this.response);
			}
		}
	}

	/**
	 * Sends the answer elsewhere than it was to go when it began.
	 */
	void continueOn(HttpServletResponse response) {
		this.response = new ExchangeResponse(response, this.response);
		if (this.run != null) {
			this.run.continueOn(this.response);
		}
	}

	HttpServletRequest requestFor(HttpServletRequest given) {
		return (WebUtils.getNativeRequest(given, ExchangeRequest.class) != null) ? given : this.request;
	}

	HttpServletResponse responseFor(HttpServletResponse given) {
		return (WebUtils.getNativeResponse(given, ExchangeResponse.class) != null) ? given : this.response;
	}

	ExchangeRequest request() {
		return this.request;
	}

	ExchangeResponse response() {
		return this.response;
	}

	AnswerRules rules() {
		return this.rules;
	}

	/**
	 * What was read of the request's body ahead of its handler.
	 */
	@Nullable BufferedBody body() {
		return (this.reader != null) ? this.reader.body() : null;
	}

	/**
	 * The parameters of a form that was read ahead of its handler.
	 */
	@Nullable Map<String, String[]> form() {
		return (this.reader != null) ? this.reader.form() : null;
	}

	/**
	 * Whether the request says that it does not bring along too much. What is encoded may
	 * be decoded on its way to the handler, and grow.
	 */
	boolean isWithinLimit(HttpServletRequest outermost, int maxBody) {
		long announced = outermost.getContentLengthLong();
		return announced >= 0 && announced <= maxBody && outermost.getHeader(HttpHeaders.CONTENT_ENCODING) == null;
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
		this.reader = new RequestReader(this.request, maxBody);
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

	/**
	 * This request is refused, with nobody's failure but its own.
	 */
	void refused(IdempotencyException problem) {
		this.refusal = problem;
	}

	/**
	 * Whether an exception says that this very request is refused. Others come from what
	 * its handler has called.
	 */
	boolean isRefusal(Exception ex) {
		return ex.equals(this.refusal);
	}

	/**
	 * The handler does not run: what was to decide about it has failed.
	 */
	void handlerNotReached(Object handler) {
		if (this.run == null) {
			ServletAnswers.writeEffect(EffectHeader.NONE, this.response);
			this.notReached = handler;
		}
	}

	boolean isKept(String header) {
		return this.rules.keptHeaders().isKept(header);
	}

	/**
	 * Whether nothing has been decided about the request.
	 */
	boolean isUndecided() {
		return this.run == null && this.knownAnswer == null && !this.over;
	}

	boolean isArmed() {
		return this.run != null;
	}

	/**
	 * Whether the request was processed asynchronously at any time.
	 */
	boolean isAsync() {
		return this.async;
	}

	/**
	 * What goes on asynchronously does so outside of the handler's transaction.
	 */
	void requireNoTransaction() {
		if (this.run != null && (this.run.isInTransaction() || this.run.isDryRun())) {
			throw new IllegalStateException("This handler runs in a transaction and answers asynchronously, outside of "
					+ "it: leave transactional = true (or, on a dry run, dryRun = ROLLBACK) out");
		}
	}

	void asyncStarted() {
		this.async = true;
		outliveDispatch();
		if (this.run != null) {
			Tether tied = this.tether;
			if (tied == null) {
				tied = new Tether();
				this.tether = tied;
				this.asyncTether = new Tether();
			}
			this.response.tie(tied);
		}
	}

	/**
	 * What asynchronous processing that was started is reached by.
	 */
	Tether asyncTether() {
		return Objects.requireNonNull(this.asyncTether, "nothing goes on asynchronously");
	}

	/**
	 * Lets nothing reach the container's response any more but what the container itself
	 * dispatches.
	 */
	void untie() {
		Tether tied = this.tether;
		if (tied != null) {
			tied.untie(this.response::keepHead);
		}
	}

	@Nullable ProtectedRun run() {
		return this.run;
	}

	/**
	 * Whether the handler goes on without its client, outside of any dispatch.
	 */
	boolean isDetached() {
		return this.run != null && this.run.isDetached();
	}

	/**
	 * Whether the handler went on without its client, be it done by now or not.
	 */
	boolean wasDetached() {
		return this.run != null && this.run.wasDetached();
	}

	/**
	 * Whether the answer is on its way to the client and must not come to its end.
	 */
	boolean isCut() {
		return this.run != null && this.run.isCut();
	}

	/**
	 * Fails if it must not.
	 */
	void failIfCut() throws IOException {
		if (this.run != null) {
			this.run.failIfCut();
		}
	}

	/**
	 * Runs the handler, and records its answer.
	 */
	ProtectedRun arm(ProtectedOperation operation, Object handler, Execution execution, Steps steps) {
		return arm(new ProtectedRun(this, operation, handler, execution, steps));
	}

	/**
	 * Runs the handler of a dry run.
	 */
	ProtectedRun armDryRun(ProtectedOperation operation, Object handler, IdempotencyKey key) {
		return arm(new ProtectedRun(this, operation, handler, key));
	}

	private ProtectedRun arm(ProtectedRun armed) {
		armed.recordOn(this.response);
		this.rules.ends().whenOver(this.request, this::requestIsOver);
		this.run = armed;
		return armed;
	}

	/**
	 * Answers without the handler. What others write meanwhile is dropped.
	 */
	void answerWith(HttpAnswer answer) {
		this.knownAnswer = answer;
		this.response.drop();
	}

	/**
	 * A dispatch has come to its end, and no asynchronous one follows.
	 */
	void endOfDispatch() throws IOException {
		HttpAnswer answer = this.knownAnswer;
		if (answer != null && !this.over) {
			this.over = true;
			this.response.letThrough();
			ServletAnswers.send(answer, this.response.container());
		}
		if (this.run != null) {
			this.run.endOfDispatch();
		}
		else if (this.notReached != null && !this.response.isBodyTaken()) {
			SwallowedFailure.reveal(this, this.notReached);
		}
	}

	/**
	 * A dispatch has failed with an exception that nobody handled.
	 */
	void failed() {
		if (this.run != null) {
			this.run.failed();
		}
	}

	/**
	 * The container is done with the request, and takes back what it has given.
	 */
	void requestIsOver() {
		if (this.run == null) {
			return;
		}
		try {
			this.run.requestIsOver();
		}
		finally {
			letContainerGo(this.run);
		}
	}

	private void letContainerGo(ProtectedRun ended) {
		Tether tied = this.tether;
		if (tied != null) {
			tied.untieSoon(this.response::keepHead);
			asyncTether().untieSoon(() -> {
			});
		}
		if (isDetached()) {
			this.request.end(EndedRequest.of(this.request));
		}
		else {
			ended.recordNothingMore();
			this.response.end();
			this.request.end(EndedRequest.FORGOTTEN);
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

	/**
	 * A dispatch is left, and what its handler has to say was said.
	 */
	void leaveDispatch() {
		if (this.run != null && this.run.isSettled()) {
			untie();
		}
	}

	/**
	 * The handler has ended asynchronous processing itself.
	 */
	void completedByHandler() {
		if (this.run != null) {
			this.run.completedByHandler();
		}
	}

	/**
	 * The connection of an asynchronous request is broken.
	 */
	void connectionLost() {
		// Who is in the middle of writing fails first
		untie();
		if (this.run != null) {
			this.run.connectionLost();
		}
	}

	boolean holdBack(HandlerTask.Callback callback) {
		return this.run != null && this.run.holdBack(callback);
	}

}
