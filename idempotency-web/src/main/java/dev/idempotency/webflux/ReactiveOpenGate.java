package dev.idempotency.webflux;

import java.util.function.Function;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.call.UnprotectedContext;
import dev.idempotency.http.DryRunUnsupportedException;
import dev.idempotency.http.OperationNames;
import dev.idempotency.http.ProtectedOperation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

import org.springframework.web.server.ServerWebExchange;

/**
 * Lets everything through but dry runs, because protection is switched off. Nothing is
 * read ahead or stored.
 */
final class ReactiveOpenGate implements ReactiveAdmission {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyHandlerAdapter.class);

	private final ReactiveHttpStrategies strategies;

	ReactiveOpenGate(ReactiveHttpStrategies strategies) {
		this.strategies = strategies;
	}

	@Override
	public <T> Mono<T> admit(ServerWebExchange exchange, Object handler, ProtectedOperation operation,
			Function<@Nullable ReactiveRun, Mono<T>> proceed) {
		return Mono.deferContextual((view) -> {
			try {
				if (ReactiveGate.asksForDryRun(exchange)) {
					return Mono.error(new DryRunUnsupportedException());
				}
			}
			catch (IdempotencyException ex) {
				return Mono.error(ex);
			}
			return keyOf(exchange, operation).flatMap((key) -> {
				UnprotectedContext context = new UnprotectedContext(key);
				return CurrentOperation.bind(view, context, proceed.apply(null));
			});
		});
	}

	/**
	 * The key of the request, as far as its head tells. A resolver that fails must not
	 * fail the request.
	 */
	private Mono<IdempotencyKey> keyOf(ServerWebExchange exchange, ProtectedOperation operation) {
		Object pattern = ReactiveGate.patternOf(exchange);
		String name = OperationNames.name(exchange.getRequest().getMethod().name(),
				(pattern != null) ? pattern.toString() : exchange.getRequest().getPath().value());
		return Mono.defer(() -> this.strategies.scopeResolver().resolveScope(exchange, name))
			.map((scope) -> keyOf(exchange, operation, scope))
			.onErrorResume(Exception.class, (ex) -> {
				logger.debug("{} runs without protection and with a random key", name, ex);
				return Mono.empty();
			})
			.switchIfEmpty(Mono.fromSupplier(() -> UnprotectedContext.randomKey(name)));
	}

	private IdempotencyKey keyOf(ServerWebExchange exchange, ProtectedOperation operation, IdempotencyScope scope) {
		return new IdempotencyKey(scope,
				operation.keySource().resolve(new ExchangeFacts(exchange, () -> scope, this.strategies, null, null)));
	}

}
