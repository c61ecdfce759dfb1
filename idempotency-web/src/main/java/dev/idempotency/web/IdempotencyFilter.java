package dev.idempotency.web;

import java.io.IOException;

import dev.idempotency.core.FirstFailure;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Carries a request that may turn out to be protected: past it, nothing is read ahead or
 * held back until the {@link IdempotencyInterceptor} has decided; then the answer is
 * stored when it is final, after any asynchronous or error dispatch, and sent.
 * <p>
 * It belongs behind the filters that authenticate, and takes part in REQUEST, ASYNC and
 * ERROR dispatches; where a filter renders error pages by a forward, as that of Spring
 * Boot does in a war, in FORWARD ones too. Somebody must tell it of the
 * {@linkplain #requestIsOver end} of requests, too.
 */
public final class IdempotencyFilter implements Filter {

	/**
	 * Where the filter stands by default: behind Spring Security's.
	 */
	public static final int DEFAULT_ORDER = -50;

	private final @Nullable AnswerRules rules;

	IdempotencyFilter(@Nullable AnswerRules rules) {
		this.rules = rules;
	}

	/**
	 * A filter that carries nothing, for applications that register it themselves, when
	 * protection is switched off.
	 * @return the filter
	 */
	public static IdempotencyFilter disabled() {
		return new IdempotencyFilter(null);
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		Exchange exchange = Exchange.of(request);
		if (request.getDispatcherType() == DispatcherType.FORWARD
				&& (exchange == null || !exchange.isErrorPageBegun(request))) {
			// What a handler forwards to is a part of its own dispatch
			chain.doFilter(request, response);
			return;
		}
		if (this.rules != null && exchange == null && request instanceof HttpServletRequest httpRequest
				&& !isSafe(httpRequest) && response instanceof HttpServletResponse httpResponse) {
			exchange = new Exchange(this.rules, httpRequest, httpResponse);
		}
		else if (exchange != null && !exchange.handling().isDetached()) {
			exchange.continueWith((HttpServletRequest) request, (HttpServletResponse) response);
		}
		if (exchange != null) {
			exchange.handling().failIfCut();
		}
		if (exchange == null || exchange.handling().isDetached()) {
			chain.doFilter(request, response);
			return;
		}
		carry(exchange, (HttpServletRequest) request, (HttpServletResponse) response, chain);
	}

	private static void carry(Exchange exchange, HttpServletRequest request, HttpServletResponse response,
			FilterChain chain) throws IOException, ServletException {
		exchange.enterDispatch();
		try {
			chain.doFilter(exchange.requestFor(request), exchange.responseFor(response));
			// An error page is the end, also where the request still counts as
			// asynchronous
			if (request.isAsyncStarted() && request.getDispatcherType() != DispatcherType.ERROR
					&& !exchange.isErrorForwarded()) {
				exchange.pauseDispatch();
				return;
			}
			exchange.handling().endOfDispatch();
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, exchange::dispatchFailed);
			FirstFailure.then(ex, exchange::leaveDispatch);
			throw ex;
		}
		exchange.leaveDispatch();
	}

	/**
	 * Whether a request may be repeated without protection, by its method.
	 */
	static boolean isSafe(HttpServletRequest request) {
		return switch (request.getMethod()) {
			case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
			default -> false;
		};
	}

	/**
	 * Hears that the container is done with a request, also with an error page, if there
	 * was one.
	 * @param request the request
	 */
	public static void requestIsOver(ServletRequest request) {
		Exchange exchange = Exchange.of(request);
		if (exchange != null) {
			exchange.requestIsOver();
		}
	}

	/**
	 * Whether a protected request has failed in the middle of its answer, so that the
	 * container has to break the connection off. It does so by itself, unless someone
	 * around this filter keeps the failure from it.
	 * @param request the request
	 * @return whether the answer must not come to its end
	 */
	public static boolean isBrokenOff(ServletRequest request) {
		Exchange exchange = Exchange.of(request);
		return exchange != null && exchange.isBrokenOff();
	}

	/**
	 * Hears from a {@link jakarta.servlet.ServletRequestListener} of the end of a
	 * request, or of a dispatch of it, where the container offers nothing better.
	 * @param request the request
	 */
	public static void requestDestroyed(ServletRequest request) {
		Exchange exchange = Exchange.of(request);
		if (exchange != null) {
			exchange.requestDestroyed();
		}
	}

}
