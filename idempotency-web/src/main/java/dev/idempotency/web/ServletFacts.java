package dev.idempotency.web;

import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.http.CallerScope;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestFacts;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.HandlerMapping;

/**
 * The facts of a servlet request.
 */
final class ServletFacts implements RequestFacts {

	private final HttpServletRequest request;

	private final @Nullable Exchange exchange;

	private final int maxBody;

	private final boolean handled;

	private @Nullable RequestContent content;

	/**
	 * Create the facts.
	 * @param exchange reads the body ahead of the handler, or {@code null} if the body is
	 * not to be touched
	 * @param maxBody the largest body, in bytes
	 */
	ServletFacts(HttpServletRequest request, @Nullable Exchange exchange, int maxBody) {
		this(request, exchange, maxBody, false);
	}

	private ServletFacts(HttpServletRequest request, @Nullable Exchange exchange, int maxBody, boolean handled) {
		this.request = request;
		this.exchange = exchange;
		this.maxBody = maxBody;
		this.handled = handled;
	}

	/**
	 * The facts of a request whose handler has run.
	 */
	static ServletFacts afterHandler(HttpServletRequest request) {
		return new ServletFacts(request, null, 0, true);
	}

	/**
	 * The pattern of the route of a request.
	 */
	static @Nullable Object pattern(HttpServletRequest request) {
		return request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
	}

	@Override
	public String method() {
		return this.request.getMethod();
	}

	@Override
	public String path() {
		return this.request.getRequestURI();
	}

	@Override
	public @Nullable String query() {
		return this.request.getQueryString();
	}

	@Override
	public @Nullable Principal principal() {
		Principal principal = this.request.getUserPrincipal();
		return (principal != null) ? principal : CallerScope.currentCaller();
	}

	@Override
	public List<String> headers(String name) {
		// Most headers that are asked for were not sent, and the others once
		if (this.request.getHeader(name) == null) {
			return List.of();
		}
		Enumeration<String> values = this.request.getHeaders(name);
		String first = values.nextElement();
		return values.hasMoreElements() ? Collections.list(this.request.getHeaders(name)) : List.of(first);
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeader(name);
	}

	@Override
	public List<String> parameters(String name) {
		if (!this.handled && RequestReader.isForm(this.request)) {
			// Otherwise the container would parse it, however large it is
			content();
		}
		String[] values = this.request.getParameterValues(name);
		return (values != null) ? List.of(values) : List.of();
	}

	@Override
	public @Nullable String pathVariable(String name) {
		Object variables = this.request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
		Object value = (variables instanceof Map<?, ?> map) ? map.get(name) : null;
		return (value != null) ? value.toString() : null;
	}

	@Override
	public @Nullable Object attribute(String name) {
		return this.request.getAttribute(name);
	}

	@Override
	public @Nullable String sessionId() {
		HttpSession session = this.request.getSession(false);
		return (session != null) ? session.getId() : null;
	}

	@Override
	public RequestContent content() {
		if (this.exchange == null) {
			throw new IdempotencyKeyMissingException("The body is not read ahead of its handler");
		}
		if (this.content == null) {
			this.content = this.exchange.readContent(this.request, this.maxBody);
		}
		return this.content;
	}

	@Override
	public HttpServletRequest nativeRequest() {
		return this.request;
	}

}
