package dev.idempotency.http;

import java.net.URI;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How HTTP requests are protected.
 *
 * @param protect which handlers are protected
 * @param unprotected what startup does about unsafe handlers that are not protected
 * @param maxRequestBody the largest body of a protected request, in bytes
 * @param maxResponseBody the largest body that is stored, in bytes
 * @param excludedHeaders headers that are not stored, beside those that never are
 * @param problemBase what the type of each problem begins with
 * @param documentationUrl where developers read about it, or {@code null}
 * @param keyTime how a request tells when its key was first sent, or {@code null} if keys
 * may be of any age
 * @param expires whether responses tell until when they are remembered
 */
public record HttpSettings(Protect protect, Unprotected unprotected, int maxRequestBody, int maxResponseBody,
		List<String> excludedHeaders, String problemBase, @Nullable URI documentationUrl, @Nullable KeyTime keyTime,
		boolean expires) {

	public HttpSettings {
		excludedHeaders = List.copyOf(excludedHeaders);
	}

	/**
	 * Which handlers are protected.
	 */
	public enum Protect {

		/**
		 * Those with the annotation.
		 */
		ANNOTATED,

		/**
		 * Also those for POST and PATCH without one.
		 */
		UNSAFE_METHODS

	}

	/**
	 * What startup does about handlers for POST, PUT, PATCH and DELETE that are not
	 * protected.
	 */
	public enum Unprotected {

		/**
		 * Nothing.
		 */
		IGNORE,

		/**
		 * It lists them in the log.
		 */
		WARN,

		/**
		 * It lists them and fails.
		 */
		FAIL

	}

}
