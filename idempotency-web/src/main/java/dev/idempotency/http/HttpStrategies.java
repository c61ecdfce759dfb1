package dev.idempotency.http;

import java.util.List;

import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.http.ClientContract.KeyField;
import org.jspecify.annotations.Nullable;

/**
 * The strategies of the HTTP edges, which an application can replace.
 *
 * @param keyResolver resolves the key of a request
 * @param scopeResolver resolves the scope of the key
 * @param fingerprinter computes the fingerprint of a request
 * @param responsePolicy decides which responses are stored
 * @param problemFormats write problems in the application's own formats
 * @param replayAuthorizer decides whether a caller gets a stored response, or
 * {@code null} if each does
 */
public record HttpStrategies(KeyResolver keyResolver, ScopeResolver scopeResolver, RequestFingerprinter fingerprinter,
		ResponsePolicy responsePolicy, List<ProblemFormat> problemFormats,
		@Nullable ReplayAuthorizer replayAuthorizer) {

	public HttpStrategies {
		problemFormats = List.copyOf(problemFormats);
	}

	/**
	 * Whether requests are compared at all.
	 */
	public boolean comparesRequests() {
		return this.fingerprinter != RequestFingerprinter.none();
	}

	/**
	 * The same strategies, which compare nothing.
	 */
	HttpStrategies withoutFingerprints() {
		return new HttpStrategies(this.keyResolver, this.scopeResolver, RequestFingerprinter.none(),
				this.responsePolicy, this.problemFormats, this.replayAuthorizer);
	}

	/**
	 * The source of the keys of operations that define none.
	 * @param time how a request tells when its key was first sent, or {@code null}
	 */
	KeySource keySource(@Nullable KeyTime time) {
		return (this.keyResolver instanceof HeaderKeyResolver header)
				? new DefaultKeySource("header " + header.name(), List.of(new KeyField(header.name(), header.syntax())),
						this.keyResolver, time)
				: new DefaultKeySource("the application's KeyResolver", List.of(), this.keyResolver, time);
	}

	/**
	 * The source of keys for operations that do not define one: the application's
	 * resolver.
	 *
	 * @param description describes the source for operators
	 * @param headers the headers that the key is made of
	 * @param resolver resolves them
	 * @param time how a request tells when its key was first sent, or {@code null}
	 */
	private record DefaultKeySource(String description, List<KeyField> headers, KeyResolver resolver,
			@Nullable KeyTime time) implements KeySource {

		DefaultKeySource {
			headers = List.copyOf(headers);
		}

		@Override
		public String resolve(ProtectedRequest request) {
			String key = this.resolver.resolveKey(request.facts());
			if (key == null) {
				String advice = this.resolver.advice();
				throw new IdempotencyKeyMissingException(
						(this.time != null) ? advice + " " + this.time.advice() : advice);
			}
			return key;
		}

		/**
		 * Without an exception: where keys are optional, most requests may have none.
		 */
		@Override
		public @Nullable String resolveIfPresent(ProtectedRequest request) {
			return this.resolver.resolveKey(request.facts());
		}

	}

}
