package dev.idempotency.web;

import dev.idempotency.IdempotencyException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * The request and the response of the current dispatch, for the code that responds. An
 * asynchronous dispatch, or one for an error, may bring others.
 */
abstract class CurrentDispatch implements ExchangeRequest.Owner {

	private final AnswerRules rules;

	private ExchangeRequest request;

	private ExchangeResponse response;

	private boolean async;

	private boolean errorForwarded;

	private @Nullable IdempotencyException refusal;

	CurrentDispatch(AnswerRules rules, HttpServletRequest request, HttpServletResponse response) {
		this.rules = rules;
		this.request = new ExchangeRequest(request, this);
		this.response = new ExchangeResponse(response, rules.keptHeaders());
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

	void requestIs(HttpServletRequest request) {
		this.request = new ExchangeRequest(request, this);
	}

	void responseIs(ExchangeResponse response) {
		this.response = response;
	}

	/**
	 * Whether the request was processed asynchronously at any time.
	 */
	boolean isAsync() {
		return this.async;
	}

	/**
	 * Whether an error page is rendered by a forward, after our filter has returned.
	 */
	boolean isErrorForwarded() {
		return this.errorForwarded;
	}

	void errorIsForwarded() {
		this.errorForwarded = true;
	}

	/**
	 * Whether an error page is rendered.
	 */
	boolean isErrorPage() {
		return this.errorForwarded || this.request.getDispatcherType() == DispatcherType.ERROR;
	}

	/**
	 * Marks the request as asynchronous. Further dispatches may bring the container's own
	 * request, which has to know the exchange.
	 */
	void asyncIsUnderWay() {
		this.async = true;
		outliveDispatch();
	}

	/**
	 * Lets the container's own request know the exchange.
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

}
