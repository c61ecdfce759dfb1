package dev.idempotency.webflux;

import java.time.Duration;

import dev.idempotency.Effect;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedOperations;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.codec.CodecException;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.web.reactive.function.UnsupportedMediaTypeException;
import org.springframework.web.reactive.function.server.EntityResponse;
import org.springframework.web.reactive.function.server.HandlerFilterFunction;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.RenderingResponse;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;

/**
 * Protects functional routes:
 * {@code route().POST("/orders", handler).filter(idempotency)}. Each {@code with…} method
 * returns a filter for routes that differ from the defaults.
 */
public final class ReactiveIdempotencyRouteFilter implements HandlerFilterFunction<ServerResponse, ServerResponse> {

	private final ProtectedOperations operations;

	private final ReactiveGate gate;

	private final ProtectedOperation operation;

	ReactiveIdempotencyRouteFilter(ProtectedOperations operations, ReactiveGate gate, ProtectedOperation operation) {
		this.operations = operations;
		this.gate = gate;
		this.operation = operation;
	}

	private ReactiveIdempotencyRouteFilter with(ProtectedOperation changed) {
		return new ReactiveIdempotencyRouteFilter(this.operations, this.gate, changed);
	}

	private ReactiveIdempotencyRouteFilter with(OperationPolicy policy) {
		return with(this.operation.with(policy, this.operation.limits()));
	}

	/**
	 * A filter for routes where a request without a key runs unprotected.
	 * @return the filter
	 */
	public ReactiveIdempotencyRouteFilter withOptionalKey() {
		return with(this.operation.withOptionalKey());
	}

	/**
	 * A filter for routes whose key comes from another source.
	 * @param expression as in {@link dev.idempotency.Idempotent#key()}
	 * @return the filter
	 */
	public ReactiveIdempotencyRouteFilter withKey(String expression) {
		return with(this.operation.withKeySource(this.operations.keySource(expression, "a route")));
	}

	/**
	 * A filter for routes where the key alone tells requests apart, as with
	 * {@link dev.idempotency.Idempotent#fingerprint()}.
	 * @return the filter
	 */
	public ReactiveIdempotencyRouteFilter withoutFingerprint() {
		return with(this.operation.withoutFingerprint());
	}

	/**
	 * A filter for routes whose records have another ttl.
	 * @param ttl how long the records are kept
	 * @return the filter
	 */
	public ReactiveIdempotencyRouteFilter withTtl(Duration ttl) {
		return with(this.operation.policy().withTtl(ttl));
	}

	/**
	 * A filter for routes that treat conflicts differently.
	 * @param onConflict what happens to a request whose key is in progress
	 * @return the filter
	 */
	public ReactiveIdempotencyRouteFilter withOnConflict(OnConflict onConflict) {
		return with(this.operation.policy().withPatience(this.operations.patience(onConflict)));
	}

	/**
	 * A filter for routes that treat a crash differently.
	 * @param onCrash what happens to an abandoned key
	 * @return the filter
	 */
	public ReactiveIdempotencyRouteFilter withOnCrash(OnCrash onCrash) {
		return with(this.operation.policy().withOnCrash(onCrash));
	}

	/**
	 * A filter for routes that declare their effect.
	 * @param effect the effect
	 * @return the filter
	 */
	public ReactiveIdempotencyRouteFilter withEffect(Effect effect) {
		return with(this.operation.withEffect(effect));
	}

	@Override
	public Mono<ServerResponse> filter(ServerRequest request, HandlerFunction<ServerResponse> next) {
		if (IdempotencyHttpHandler.isSafe(request.method())) {
			return next.handle(request);
		}
		ServerWebExchange exchange = request.exchange();
		ProtectedOperation named = ReactiveGate.named(this.operations, this.operation, exchange);
		return this.gate.admit(exchange, next, named, (run) -> {
			Mono<ServerResponse> handled = next.handle(request);
			return (run == null) ? handled
					: handled
						.doOnNext((response) -> run.returned((failure) -> isUnwritableBecauseOf(failure, response)))
						.doOnError((failure) -> {
							if (isOverLimit(failure)) {
								run.handlerNotReached();
							}
						});
		});
	}

	/**
	 * Whether the handler had done its work when its response could not be written. A
	 * body or a model that is a publisher may still fail for the handler's own reasons.
	 */
	private static boolean isUnwritableBecauseOf(Throwable failure, ServerResponse response) {
		if (failure instanceof CodecException || failure instanceof UnsupportedMediaTypeException) {
			return true;
		}
		if (response instanceof EntityResponse<?> entity) {
			return !isPublisher(entity.entity());
		}
		return response instanceof RenderingResponse rendering
				&& rendering.model().values().stream().noneMatch(ReactiveIdempotencyRouteFilter::isPublisher);
	}

	private static boolean isPublisher(@Nullable Object value) {
		return value != null && ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value) != null;
	}

	private static boolean isOverLimit(Throwable failure) {
		return failure instanceof DataBufferLimitException || failure.getCause() instanceof DataBufferLimitException;
	}

}
