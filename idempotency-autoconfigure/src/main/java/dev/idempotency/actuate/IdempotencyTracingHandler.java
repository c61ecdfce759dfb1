package dev.idempotency.actuate;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import org.jspecify.annotations.Nullable;

/**
 * Creates a span for each attempt, with a link to the span of the earlier attempt with
 * the same key. A span takes links only when it is created, and the link is known only
 * after the call to the store. So the span is created at the end, with the start time of
 * the attempt.
 */
public final class IdempotencyTracingHandler implements TracingObservationHandler<IdempotencyObservationContext> {

	private final Tracer tracer;

	private final InstantSource time;

	/**
	 * Create a handler.
	 * @param tracer creates the spans
	 * @param time their start times
	 */
	public IdempotencyTracingHandler(Tracer tracer, InstantSource time) {
		this.tracer = tracer;
		this.time = time;
	}

	@Override
	public Tracer getTracer() {
		return this.tracer;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof IdempotencyObservationContext;
	}

	@Override
	public void onStart(IdempotencyObservationContext context) {
		context.put(Beginning.class, new Beginning(this.time.instant(), getParentSpan(context)));
		// Handlers of meters expect it
		getTracingContext(context);
	}

	@Override
	public void onError(IdempotencyObservationContext context) {
		// There is no span yet
	}

	@Override
	public void onEvent(Observation.Event event, IdempotencyObservationContext context) {
		// There is no span yet
	}

	@Override
	public void onStop(IdempotencyObservationContext context) {
		Beginning beginning = context.getRequired(Beginning.class);
		Span.Builder builder = this.tracer.spanBuilder()
			.name(Objects.requireNonNullElse(getSpanName(context), "idempotency"))
			.startTimestamp(micros(beginning.time), TimeUnit.MICROSECONDS);
		if (beginning.parent != null) {
			builder.setParent(beginning.parent.context());
		}
		else {
			builder.setNoParent();
		}
		TraceReference first = context.firstTrace();
		if (first != null) {
			builder.addLink(new Link(this.tracer.traceContextBuilder()
				.traceId(first.traceId())
				.spanId(first.spanId())
				.sampled(true)
				.build()));
		}
		Span span = builder.start();
		tagSpan(context, span);
		if (context.getError() != null) {
			span.error(context.getError());
		}
		span.end();
	}

	private static long micros(Instant time) {
		return TimeUnit.SECONDS.toMicros(time.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(time.getNano());
	}

	/**
	 * What is known when an attempt begins.
	 */
	private record Beginning(Instant time, @Nullable Span parent) {
	}

}
