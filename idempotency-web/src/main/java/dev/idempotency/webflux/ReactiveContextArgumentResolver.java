package dev.idempotency.webflux;

import java.util.Optional;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;

/**
 * Resolves {@link IdempotencyContext} arguments of handlers. If an operation runs
 * unprotected, its context passes everything through, and an {@link Optional} is empty.
 */
final class ReactiveContextArgumentResolver implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return parameter.nestedIfOptional().getNestedParameterType() == IdempotencyContext.class;
	}

	@Override
	public Mono<Object> resolveArgument(MethodParameter parameter, BindingContext bindingContext,
			ServerWebExchange exchange) {
		return ReactiveIdempotencyContext.find()
			.filter((context) -> !parameter.isOptional() || context instanceof ReactiveRun)
			.map(Optional::of)
			.defaultIfEmpty(Optional.empty())
			.flatMap((found) -> toArgument(found, parameter));
	}

	private static Mono<Object> toArgument(Optional<IdempotencyContext> context, MethodParameter parameter) {
		if (parameter.getParameterType() == Optional.class) {
			return Mono.just(context);
		}
		if (context.isEmpty() && !parameter.isOptional()) {
			return Mono.error(new IllegalStateException(
					"%s needs an IdempotencyContext, but its request is not protected: write Optional<IdempotencyContext>"
						.formatted(parameter.getExecutable())));
		}
		return Mono.justOrEmpty(context);
	}

}
