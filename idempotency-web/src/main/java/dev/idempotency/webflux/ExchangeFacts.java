package dev.idempotency.webflux;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestFacts;
import org.jspecify.annotations.Nullable;

import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * The facts about the request of an exchange. What must be read for them was read before.
 */
final class ExchangeFacts implements RequestFacts {

	private final ServerWebExchange exchange;

	private final Supplier<IdempotencyScope> scope;

	private final ReactiveHttpStrategies strategies;

	private final @Nullable RequestContent content;

	private final @Nullable String sessionId;

	private @Nullable Fingerprint fingerprint;

	/**
	 * Create the facts.
	 * @param scope returns the scope, or throws why there is none
	 * @param content the content, or {@code null} if it was not read
	 * @param sessionId the id of the session, or {@code null} if there is none, or it is
	 * not needed
	 */
	ExchangeFacts(ServerWebExchange exchange, Supplier<IdempotencyScope> scope, ReactiveHttpStrategies strategies,
			@Nullable RequestContent content, @Nullable String sessionId) {
		this.exchange = exchange;
		this.scope = scope;
		this.strategies = strategies;
		this.content = content;
		this.sessionId = sessionId;
	}

	@Override
	public IdempotencyScope scope() {
		return this.scope.get();
	}

	@Override
	public RequestContent content() {
		if (this.content == null) {
			throw new IdempotencyKeyMissingException("The body is not read ahead of its handler");
		}
		return this.content;
	}

	@Override
	public Fingerprint fingerprint() {
		if (this.fingerprint == null) {
			try {
				this.fingerprint = this.strategies.fingerprinter().fingerprint(this.exchange.getRequest(), content());
			}
			catch (IOException ex) {
				throw new RequestBodyUnreadableException(ex);
			}
		}
		return this.fingerprint;
	}

	@Override
	public @Nullable String resolvedKey() {
		return this.strategies.keyResolver().resolveKey(this.exchange);
	}

	@Override
	public List<String> headers(String name) {
		return this.exchange.getRequest().getHeaders().getOrEmpty(name);
	}

	@Override
	public List<String> parameters(String name) {
		if (this.content instanceof RequestContent.Form form) {
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
	public @Nullable String sessionId() {
		return this.sessionId;
	}

}
