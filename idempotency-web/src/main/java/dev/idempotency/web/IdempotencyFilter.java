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
 * Filter for requests that may turn out to be protected. It reads nothing ahead and holds
 * nothing back until the {@link IdempotencyInterceptor} has decided. The response of a
 * protected request is stored when it is final, after any asynchronous or error dispatch,
 * and then sent.
 * <p>
 * It must come after the filters that authenticate, and take part in REQUEST, ASYNC and
 * ERROR dispatches. If a filter renders error pages by a forward, as that of Spring Boot
 * does in a war, it must take part in FORWARD dispatches, too. The
 * {@linkplain #requestIsOver end} of requests must be reported to it.
 */
public final class IdempotencyFilter implements Filter {

	/**
	 * The default order of the filter: after Spring Security's.
	 */
	public static final int DEFAULT_ORDER = -50;

	private final @Nullable AnswerRules rules;

	/**
	 * Create a filter.
	 * @param rules {@code null} if protection is switched off: everything passes, for
	 * applications that register the filter themselves
	 */
	IdempotencyFilter(@Nullable AnswerRules rules) {
		this.rules = rules;
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
		else if (exchange != null && !exchange.isDetached()) {
			exchange.continueWith((HttpServletRequest) request, (HttpServletResponse) response);
		}
		if (exchange != null) {
			exchange.failIfCut();
		}
		if (exchange == null || exchange.isDetached()) {
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
			exchange.endOfDispatch();
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, exchange::dispatchFailed);
			FirstFailure.then(ex, exchange::leaveDispatch);
			throw ex;
		}
		exchange.leaveDispatch();
	}

	/**
	 * Whether the method of a request is safe, so that it can be retried without
	 * protection.
	 */
	static boolean isSafe(HttpServletRequest request) {
		return switch (request.getMethod()) {
			case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
			default -> false;
		};
	}

	/**
	 * Must be called when the container has finished a request, including its error page,
	 * if there was one.
	 */
	public static void requestIsOver(ServletRequest request) {
		Exchange exchange = Exchange.of(request);
		if (exchange != null) {
			exchange.requestIsOver();
		}
	}

	/**
	 * Whether a protected request has failed in the middle of its response, so that the
	 * container has to abort the connection. It does so by itself, unless an outer filter
	 * hides the failure from it.
	 * @return whether the response must not be finished
	 */
	public static boolean isBrokenOff(ServletRequest request) {
		Exchange exchange = Exchange.of(request);
		return exchange != null && exchange.isBrokenOff();
	}

	/**
	 * Must be called by a {@link jakarta.servlet.ServletRequestListener} at the end of a
	 * request, or of one of its dispatches, if the container offers nothing better.
	 */
	public static void requestDestroyed(ServletRequest request) {
		Exchange exchange = Exchange.of(request);
		if (exchange != null) {
			exchange.requestDestroyed();
		}
	}

}
