package dev.idempotency.web;

import java.util.Optional;

import dev.idempotency.IdempotencyContext;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Resolves {@link IdempotencyContext} arguments of handlers. If the request is not
 * protected, an optional argument gets none, and any other gets a context that passes
 * everything through.
 */
final class ContextArgumentResolver implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return parameter.nestedIfOptional().getNestedParameterType() == IdempotencyContext.class;
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
			NativeWebRequest webRequest, @Nullable WebDataBinderFactory binderFactory) {
		HttpServletRequest request = webRequest.getNativeRequest(HttpServletRequest.class);
		Exchange exchange = (request != null) ? Exchange.of(request) : null;
		IdempotencyContext context = (exchange != null) ? exchange.run() : null;
		if (context == null && request != null && !parameter.isOptional()) {
			context = UnprotectedRun.contextOf(request);
		}
		if (context == null && !parameter.isOptional()) {
			throw new IllegalStateException(
					"%s needs an IdempotencyContext, but its request is not protected: write Optional<IdempotencyContext>"
						.formatted(parameter.getExecutable()));
		}
		return parameter.getParameterType() == Optional.class ? Optional.ofNullable(context) : context;
	}

}
