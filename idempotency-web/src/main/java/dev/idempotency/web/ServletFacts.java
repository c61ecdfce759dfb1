package dev.idempotency.web;

import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.http.RequestBodyTooLargeException;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestFacts;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.HandlerMapping;

/**
 * The facts of a servlet request. What has to be read or computed is determined on first
 * access.
 */
final class ServletFacts implements RequestFacts {

	private static final RequestContent NO_CONTENT = new RequestContent.Body(new byte[0], 0);

	private final HttpServletRequest request;

	private final String operation;

	private final HttpStrategies strategies;

	private final @Nullable Exchange exchange;

	private final int maxBody;

	private @Nullable IdempotencyScope scope;

	private @Nullable RequestContent content;

	private @Nullable Fingerprint fingerprint;

	/**
	 * Create the facts.
	 * @param operation the name of the operation
	 * @param exchange reads the body ahead of the handler, or {@code null} if the body is
	 * not to be touched
	 */
	ServletFacts(HttpServletRequest request, String operation, HttpStrategies strategies, @Nullable Exchange exchange,
			int maxBody) {
		this.request = request;
		this.operation = operation;
		this.strategies = strategies;
		this.exchange = exchange;
		this.maxBody = maxBody;
	}

	@Override
	public IdempotencyScope scope() {
		if (this.scope == null) {
			this.scope = this.strategies.scopeResolver().resolveScope(this.request, this.operation);
		}
		return this.scope;
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

	/**
	 * Refuses content that is too large, even if it is not compared. It is read ahead of
	 * the handler if its length is not known otherwise.
	 * @throws RequestBodyTooLargeException if it is too large
	 */
	void requireContentWithinLimit() {
		if (this.content == null && !RequestReader.isWithinLimit(this.request, this.maxBody)) {
			content();
		}
	}

	@Override
	public Fingerprint fingerprint() {
		if (this.fingerprint == null) {
			RequestFingerprinter fingerprinter = this.strategies.fingerprinter();
			RequestContent compared = fingerprinter.needsContent() ? content() : NO_CONTENT;
			try {
				this.fingerprint = fingerprinter.fingerprint(this.request, compared);
			}
			catch (IOException ex) {
				throw new RequestBodyUnreadableException(ex);
			}
		}
		return this.fingerprint;
	}

	@Override
	public @Nullable String resolvedKey() {
		return this.strategies.keyResolver().resolveKey(this.request);
	}

	@Override
	public List<String> headers(String name) {
		Enumeration<String> values = this.request.getHeaders(name);
		return (values != null) ? Collections.list(values) : List.of();
	}

	@Override
	public List<String> parameters(String name) {
		if (RequestReader.isForm(this.request)) {
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
	public @Nullable String sessionId() {
		HttpSession session = this.request.getSession(false);
		return (session != null) ? session.getId() : null;
	}

}
