package dev.idempotency.web;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;

/**
 * Remembers all spans that have ended. No exporter: Spring Boot would give it each span a
 * second time, some seconds later.
 */
final class Spans implements SpanProcessor {

	private final List<SpanData> ended = new CopyOnWriteArrayList<>();

	/**
	 * A span ends some time after the client has its answer: one of an earlier test may
	 * do so while the next one runs.
	 */
	private volatile long cleared;

	@Override
	public void onStart(Context parent, ReadWriteSpan span) {
	}

	@Override
	public boolean isStartRequired() {
		return false;
	}

	@Override
	public void onEnd(ReadableSpan span) {
		SpanData data = span.toSpanData();
		if (data.getStartEpochNanos() >= this.cleared) {
			this.ended.add(data);
		}
	}

	@Override
	public boolean isEndRequired() {
		return true;
	}

	List<SpanData> all() {
		return this.ended;
	}

	/**
	 * Those with a name, in the order of their ends.
	 */
	List<SpanData> named(String name) {
		return this.ended.stream().filter((span) -> span.getName().equals(name)).toList();
	}

	/**
	 * Forgets all spans that have begun so far, also those that have not ended.
	 */
	void clear() {
		this.cleared = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
		this.ended.clear();
	}

}
