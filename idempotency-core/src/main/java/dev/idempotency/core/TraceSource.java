package dev.idempotency.core;

import org.jspecify.annotations.Nullable;

/**
 * Provides the trace of the calling thread. A failing source does not affect the
 * operation.
 */
@FunctionalInterface
public interface TraceSource {

	/**
	 * The trace of the calling thread.
	 * @return the id of the trace, of at most
	 * {@value dev.idempotency.store.ClaimTerms#MAX_TRACE} characters; {@code null} if
	 * there is no trace
	 */
	@Nullable String currentTrace();

}
