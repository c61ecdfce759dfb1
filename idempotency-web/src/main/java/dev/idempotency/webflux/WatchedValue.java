package dev.idempotency.webflux;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.codec.CodecException;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.ui.Model;
import org.springframework.web.reactive.result.view.Rendering;
import org.springframework.web.reactive.result.view.View;
import org.springframework.web.server.NotAcceptableStatusException;
import org.springframework.web.server.UnsupportedMediaTypeStatusException;

/**
 * The value that a handler has returned, and whether it or its writing has failed.
 */
final class WatchedValue {

	private final @Nullable Object value;

	private final boolean plain;

	private final ReactiveRun run;

	private WatchedValue(@Nullable Object value, boolean plain, ReactiveRun run) {
		this.value = value;
		this.plain = plain;
		this.run = run;
	}

	static WatchedValue of(@Nullable Object value, ReactiveRun run) {
		Object watched = watch(value, run);
		boolean plain = watched == value && !(value instanceof Rendering) && !(value instanceof View)
				&& !(value instanceof Model);
		return new WatchedValue(watched, plain, run);
	}

	@Nullable Object value() {
		return this.value;
	}

	/**
	 * Whether the handler had done its work when an exception was thrown. A value in a
	 * model may still fail for the handler's own reasons.
	 */
	boolean isUnwritableBecauseOf(Throwable failure) {
		if (this.run.isFailureOfHandler(failure)) {
			return false;
		}
		return this.plain || failure instanceof CodecException || failure instanceof NotAcceptableStatusException
				|| failure instanceof UnsupportedMediaTypeStatusException;
	}

	private static @Nullable Object watch(@Nullable Object value, ReactiveRun run) {
		if (value instanceof HttpEntity<?> entity) {
			return watch(entity, run);
		}
		ReactiveAdapter adapter = (value != null) ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value)
				: null;
		if (adapter == null || adapter.isNoValue()) {
			return (adapter != null)
					? adapter.fromPublisher(Mono.from(adapter.<Object>toPublisher(value)).doOnError(run::handlerFailed))
					: value;
		}
		Publisher<Object> source = adapter.toPublisher(value);
		if (adapter.isMultiValue()) {
			return adapter.fromPublisher(Flux.from(source).doOnError(run::handlerFailed));
		}
		return adapter.fromPublisher(Mono.from(source)
			.doOnError(run::handlerFailed)
			.map((it) -> (it instanceof HttpEntity<?> entity) ? watch(entity, run) : it));
	}

	private static HttpEntity<?> watch(HttpEntity<?> entity, ReactiveRun run) {
		Object body = entity.getBody();
		Object watched = watch(body, run);
		if (body == watched) {
			return entity;
		}
		Objects.requireNonNull(watched);
		return (entity instanceof ResponseEntity<?> response)
				? new ResponseEntity<>(watched, entity.getHeaders(), response.getStatusCode())
				: new HttpEntity<>(watched, entity.getHeaders());
	}

}
