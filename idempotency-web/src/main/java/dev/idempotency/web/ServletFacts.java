package dev.idempotency.web;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

import dev.idempotency.IdempotencyScope;
import dev.idempotency.http.RequestFacts;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.HandlerMapping;

/**
 * What the request of a container tells of itself.
 */
abstract class ServletFacts implements RequestFacts {

	private final HttpServletRequest request;

	private final IdempotencyScope scope;

	private final KeyResolver keyResolver;

	ServletFacts(HttpServletRequest request, IdempotencyScope scope, KeyResolver keyResolver) {
		this.request = request;
		this.scope = scope;
		this.keyResolver = keyResolver;
	}

	HttpServletRequest request() {
		return this.request;
	}

	@Override
	public IdempotencyScope scope() {
		return this.scope;
	}

	@Override
	public @Nullable String resolvedKey() {
		return this.keyResolver.resolveKey(this.request);
	}

	@Override
	public List<String> headers(String name) {
		Enumeration<String> values = this.request.getHeaders(name);
		return (values != null) ? Collections.list(values) : List.of();
	}

	@Override
	public List<String> parameters(String name) {
		if (RequestReader.isForm(this.request)) {
			// Or the container would parse it, however large it is
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
	public @Nullable String sessionId() {
		HttpSession session = this.request.getSession(false);
		return (session != null) ? session.getId() : null;
	}

}
