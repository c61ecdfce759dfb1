package dev.idempotency.http;

import java.io.IOException;
import java.time.Instant;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.core.Attempt;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A request to a protected operation, and what its key is made of. Each part is
 * determined on first access, and may refuse the request.
 */
public final class ProtectedRequest {

	private static final RequestContent NO_CONTENT = new RequestContent.Body(new byte[0], 0);

	private final ProtectedOperation operation;

	private final String name;

	private final RequestFacts facts;

	private final HttpStrategies strategies;

	private final String namespace;

	private @Nullable IdempotencyScope scope;

	private @Nullable Fingerprint fingerprint;

	private @Nullable IdempotencyKey key;

	private @Nullable Instant firstSent;

	ProtectedRequest(ProtectedOperation operation, String name, RequestFacts facts, HttpStrategies strategies,
			String namespace) {
		this.operation = operation;
		this.name = name;
		this.facts = facts;
		this.strategies = strategies;
		this.namespace = namespace;
	}

	/**
	 * The name of the operation: the method, and the pattern of the route.
	 */
	public String name() {
		return this.name;
	}

	RequestFacts facts() {
		return this.facts;
	}

	/**
	 * Whether more than the head of the request has to be read to decide about it. One
	 * that is refused for its head alone is refused before its body is read.
	 */
	public boolean needsContent() {
		try {
			return this.operation.keySource().needsContent() || key() != null;
		}
		catch (IdempotencyException ex) {
			return false;
		}
	}

	/**
	 * The key.
	 * @return the key, or {@code null} if there is none, and none is required
	 */
	@Nullable IdempotencyKey key() {
		if (this.key == null) {
			KeySource source = this.operation.keySource();
			String value = this.operation.required() ? source.resolve(this) : source.resolveIfPresent(this);
			IdempotencyKey known = (value != null) ? qualified(value) : null;
			KeyTime time = source.time();
			this.firstSent = (value != null && time != null) ? time.of(value, this.facts) : null;
			this.key = known;
		}
		return this.key;
	}

	private IdempotencyKey qualified(String value) {
		try {
			return new IdempotencyKey(scope().within(this.namespace), value);
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyKeyInvalidException("The key cannot be used: it is blank, too long or malformed.");
		}
	}

	/**
	 * The attempt at a key. Content that is not compared must still be within the limit.
	 */
	Attempt attempt(IdempotencyKey key) {
		Fingerprint compared = this.operation.fingerprinted() ? fingerprint() : Fingerprint.none();
		boolean contentRead = this.operation.fingerprinted() && this.strategies.fingerprinter().needsContent();
		if (!contentRead && !isKnownToBeWithinLimit()) {
			this.facts.content();
		}
		Attempt attempt = new Attempt(key, compared, this.operation.policy(), null, this.firstSent, null);
		ReplayAuthorizer authorizer = this.strategies.replayAuthorizer();
		return (authorizer == null) ? attempt : attempt
			.replayedIf((result) -> authorizer.mayReplay(this.facts, key, HttpAnswer.decode(result).status()));
	}

	/**
	 * Whether the announced length is within the limit. That of an encoded body does not
	 * count: a filter may decode the body, which then grows.
	 */
	private boolean isKnownToBeWithinLimit() {
		String announced = this.facts.header(HttpHeaders.CONTENT_LENGTH);
		try {
			return announced != null && Long.parseLong(announced) <= this.operation.limits().request()
					&& this.facts.header(HttpHeaders.CONTENT_ENCODING) == null;
		}
		catch (NumberFormatException ex) {
			return false;
		}
	}

	IdempotencyScope scope() {
		if (this.scope == null) {
			this.scope = this.strategies.scopeResolver().resolveScope(this.facts, this.name);
		}
		return this.scope;
	}

	Fingerprint fingerprint() {
		if (this.fingerprint == null) {
			RequestFingerprinter own = this.operation.excluding();
			RequestFingerprinter fingerprinter = (own != null && this.strategies.comparesRequests()) ? own
					: this.strategies.fingerprinter();
			RequestContent compared = fingerprinter.needsContent() ? this.facts.content() : NO_CONTENT;
			try {
				this.fingerprint = fingerprinter.fingerprint(this.facts, compared);
			}
			catch (IOException ex) {
				throw new RequestBodyUnreadableException(ex);
			}
		}
		return this.fingerprint;
	}

}
