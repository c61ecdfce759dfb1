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
 * Makes a span of each attempt, with a link to the span in which the same was done
 * before. A span takes links only at its birth, and what it is to be linked with is known
 * only when the store has answered: so the span is made at the end, with the beginning
 * that it had.
 */
public final class IdempotencyTracingHandler implements TracingObservationHandler<IdempotencyObservationContext> {

	private final Tracer tracer;

	private final InstantSource time;

	/**
	 * Create a handler.
	 * @param tracer makes the spans
	 * @param time tells when they begin
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
		// Meters look for it
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
	 * What a span begins with.
	 */
	private record Beginning(Instant time, @Nullable Span parent) {
	}

}
