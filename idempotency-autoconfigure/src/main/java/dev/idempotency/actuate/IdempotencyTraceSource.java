package dev.idempotency.actuate;

import dev.idempotency.core.TraceSource;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the current trace from a tracer: the id of the trace, a hyphen, and the id of the
 * span.
 */
public final class IdempotencyTraceSource implements TraceSource {

	private final Tracer tracer;

	/**
	 * Create a source.
	 * @param tracer knows the current span
	 */
	public IdempotencyTraceSource(Tracer tracer) {
		this.tracer = tracer;
	}

	@Override
	public @Nullable String currentTrace() {
		Span span = this.tracer.currentSpan();
		if (span == null) {
			return null;
		}
		TraceContext context = span.context();
		return context.traceId().isEmpty() ? null : new TraceReference(context.traceId(), context.spanId()).toString();
	}

}
