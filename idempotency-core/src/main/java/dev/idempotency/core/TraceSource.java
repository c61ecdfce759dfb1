package dev.idempotency.core;

import org.jspecify.annotations.Nullable;

/**
 * Knows the trace in which the calling thread works. A source that fails changes nothing.
 */
@FunctionalInterface
public interface TraceSource {

	/**
	 * The trace in which the calling thread works.
	 * @return where to find what is done now, in at most
	 * {@value dev.idempotency.store.ClaimTerms#MAX_TRACE} characters; {@code null} if
	 * there is no trace
	 */
	@Nullable String currentTrace();

}
