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
 * ERROR dispatches. Somebody must tell it of the {@linkplain #requestIsOver end} of
 * requests, too.
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
		try {
			chain.doFilter(exchange.requestFor(request), exchange.responseFor(response));
			// An error page is the end, also where the request still counts as
			// asynchronous
			if (request.isAsyncStarted() && request.getDispatcherType() != DispatcherType.ERROR) {
				return;
			}
			exchange.handling().endOfDispatch();
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, exchange.handling()::failed);
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
