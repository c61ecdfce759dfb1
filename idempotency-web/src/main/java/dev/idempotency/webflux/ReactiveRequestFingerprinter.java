package dev.idempotency.webflux;

import java.io.IOException;

import dev.idempotency.Fingerprint;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestDigest;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Computes fingerprints, which tell whether two requests are the same. It must not block.
 */
@FunctionalInterface
public interface ReactiveRequestFingerprinter {

	/**
	 * Computes the fingerprint of a request.
	 * @param request the request
	 * @param content the content of the request
	 * @return the fingerprint
	 * @throws IOException if the content cannot be read
	 */
	Fingerprint fingerprint(ServerHttpRequest request, RequestContent content) throws IOException;

	/**
	 * Whether requests are compared at all.
	 * @return whether they are
	 */
	default boolean comparesRequests() {
		return true;
	}

	/**
	 * Compares nothing: the key alone tells requests apart.
	 * @return the fingerprinter
	 */
	static ReactiveRequestFingerprinter none() {
		return new ReactiveRequestFingerprinter() {

			@Override
			public Fingerprint fingerprint(ServerHttpRequest request, RequestContent content) {
				return Fingerprint.none();
			}

			@Override
			public boolean comparesRequests() {
				return false;
			}

		};
	}

	/**
	 * Compares method, path, query, content type and every byte of the body.
	 * @return the fingerprinter
	 */
	static ReactiveRequestFingerprinter bytes() {
		return (request, content) -> digest(request, content, false);
	}

	/**
	 * Compares method, path, query, content type and body. JSON is compared by its value:
	 * the order of members, white space, escapes and the notation of numbers make no
	 * difference.
	 * @return the fingerprinter
	 */
	static ReactiveRequestFingerprinter canonicalJson() {
		return (request, content) -> digest(request, content, true);
	}

	private static Fingerprint digest(ServerHttpRequest request, RequestContent content, boolean canonicalJson)
			throws IOException {
		return RequestDigest.of(request.getMethod().name(), request.getPath().value(), request.getURI().getRawQuery(),
				request.getHeaders().getFirst(HttpHeaders.CONTENT_TYPE), content, canonicalJson);
	}

}
