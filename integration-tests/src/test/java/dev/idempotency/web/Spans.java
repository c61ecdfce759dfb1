package dev.idempotency.web;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;

/**
 * Remembers all spans that have ended.
 */
final class Spans implements SpanExporter {

	private final List<SpanData> ended = new CopyOnWriteArrayList<>();

	@Override
	public CompletableResultCode export(Collection<SpanData> spans) {
		this.ended.addAll(spans);
		return CompletableResultCode.ofSuccess();
	}

	@Override
	public CompletableResultCode flush() {
		return CompletableResultCode.ofSuccess();
	}

	@Override
	public CompletableResultCode shutdown() {
		return CompletableResultCode.ofSuccess();
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

	void clear() {
		this.ended.clear();
	}

}
