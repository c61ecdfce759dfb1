package dev.idempotency.webflux;

import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.http.ProtectedRoutes;
import reactor.core.publisher.Mono;

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
public final class ReactiveIdempotencyRouteFilter extends ProtectedRoutes<ReactiveIdempotencyRouteFilter>
		implements HandlerFilterFunction<ServerResponse, ServerResponse> {

	private final ReactiveGate gate;

	ReactiveIdempotencyRouteFilter(ProtectedOperations operations, ReactiveGate gate, ProtectedOperation operation) {
		super(operations, operation);
		this.gate = gate;
	}

	@Override
	protected ReactiveIdempotencyRouteFilter with(ProtectedOperation operation) {
		return new ReactiveIdempotencyRouteFilter(operations(), this.gate, operation);
	}

	@Override
	public Mono<ServerResponse> filter(ServerRequest request, HandlerFunction<ServerResponse> next) {
		if (IdempotencyHttpHandler.isSafe(request.method())) {
			return next.handle(request);
		}
		ServerWebExchange exchange = request.exchange();
		ProtectedOperation named = ReactiveGate.named(operations(), operation(), exchange);
		return this.gate.admit(exchange, next, named, (run) -> {
			Mono<ServerResponse> handled = next.handle(request);
			return (run == null) ? handled
					: handled
						.doOnNext((response) -> run.returned((failure) -> isUnwritableBecauseOf(failure, response)))
						.doOnError((failure) -> {
							if (isOverLimit(failure)) {
								run.handlerNotReached();
							}
							else {
								run.handlerFailed(failure);
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
			return !IdempotencyHandlerAdapter.isPublisher(entity.entity());
		}
		return response instanceof RenderingResponse rendering
				&& rendering.model().values().stream().noneMatch(IdempotencyHandlerAdapter::isPublisher);
	}

	private static boolean isOverLimit(Throwable failure) {
		return failure instanceof DataBufferLimitException || failure.getCause() instanceof DataBufferLimitException;
	}

}
