package dev.idempotency.webflux;

import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestFacts;
import org.jspecify.annotations.Nullable;

import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * The facts of the request of an exchange. What has to be waited for was read before.
 */
final class ExchangeFacts implements RequestFacts {

	private final ServerWebExchange exchange;

	private final @Nullable Principal caller;

	private @Nullable Supplier<RequestContent> content;

	private @Nullable String sessionId;

	/**
	 * Create the facts.
	 * @param caller the authenticated caller, or {@code null} if there is none
	 */
	ExchangeFacts(ServerWebExchange exchange, @Nullable Principal caller) {
		this.exchange = exchange;
		this.caller = caller;
	}

	/**
	 * The pattern of the route of a request.
	 */
	static @Nullable Object pattern(ServerWebExchange exchange) {
		return exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
	}

	/**
	 * The content was read.
	 * @param content returns it, or throws why it cannot be read
	 */
	void read(Supplier<RequestContent> content) {
		this.content = content;
	}

	/**
	 * The session was looked up.
	 */
	void session(String sessionId) {
		this.sessionId = sessionId;
	}

	@Override
	public String method() {
		return this.exchange.getRequest().getMethod().name();
	}

	@Override
	public String path() {
		return this.exchange.getRequest().getPath().value();
	}

	@Override
	public @Nullable String query() {
		return this.exchange.getRequest().getURI().getRawQuery();
	}

	@Override
	public @Nullable Principal principal() {
		return this.caller;
	}

	@Override
	public List<String> headers(String name) {
		return this.exchange.getRequest().getHeaders().getOrEmpty(name);
	}

	@Override
	public List<String> parameters(String name) {
		if (this.content != null && this.content.get() instanceof RequestContent.Form form) {
			String[] values = form.parameters().get(name);
			return (values != null) ? List.of(values) : List.of();
		}
		List<String> values = this.exchange.getRequest().getQueryParams().get(name);
		if (values == null) {
			return List.of();
		}
		List<String> texts = new ArrayList<>();
		for (String value : values) {
			// A parameter without a value, as in ?name, counts as an empty one
			texts.add((value != null) ? value : "");
		}
		return texts;
	}

	@Override
	public @Nullable String pathVariable(String name) {
		Map<String, Object> variables = this.exchange.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
		Object value = (variables != null) ? variables.get(name) : null;
		return (value != null) ? value.toString() : null;
	}

	@Override
	public @Nullable Object attribute(String name) {
		return this.exchange.getAttribute(name);
	}

	@Override
	public @Nullable String sessionId() {
		return this.sessionId;
	}

	@Override
	public RequestContent content() {
		if (this.content == null) {
			throw new IdempotencyKeyMissingException("The body is not read ahead of its handler");
		}
		return this.content.get();
	}

	@Override
	public ServerWebExchange nativeRequest() {
		return this.exchange;
	}

}
