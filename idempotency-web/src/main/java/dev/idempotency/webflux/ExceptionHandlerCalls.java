package dev.idempotency.webflux;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.InvocableHandlerMethod;
import org.springframework.web.reactive.result.method.annotation.ModelMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.PrincipalMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ServerWebExchangeMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;

/**
 * Calls the exception handlers of an application for requests that were refused before
 * Spring called their handler. Spring would no longer look into the controller.
 */
final class ExceptionHandlerCalls {

	private final Supplier<List<ControllerAdviceBean>> advices;

	private final Map<Class<?>, ExceptionHandlerMethodResolver> resolvers = new ConcurrentHashMap<>();

	private final List<HandlerMethodArgumentResolver> argumentResolvers;

	ExceptionHandlerCalls(Supplier<List<ControllerAdviceBean>> advices) {
		this.advices = SingletonSupplier.of(advices);
		ReactiveAdapterRegistry registry = ReactiveAdapterRegistry.getSharedInstance();
		this.argumentResolvers = List.of(new ServerWebExchangeMethodArgumentResolver(registry),
				new PrincipalMethodArgumentResolver(registry), new ModelMethodArgumentResolver(registry));
	}

	/**
	 * Finds the advices.
	 */
	void prepare() {
		Objects.requireNonNull(this.advices.get());
	}

	/**
	 * Lets the application handle an exception.
	 * @return what its handler returns, or the exception if there is none
	 */
	Mono<HandlerResult> handle(IdempotencyException problem, ServerWebExchange exchange, HandlerMethod handler) {
		InvocableHandlerMethod method = find(problem, handler);
		if (method == null) {
			return Mono.error(problem);
		}
		method.setArgumentResolvers(this.argumentResolvers);
		return method.invoke(exchange, new BindingContext(), argumentsFor(problem, handler));
	}

	private @Nullable InvocableHandlerMethod find(IdempotencyException problem, HandlerMethod handler) {
		Class<?> controller = handler.getBeanType();
		Method own = resolver(controller).resolveMethodByThrowable(problem);
		if (own != null) {
			return new InvocableHandlerMethod(handler.createWithResolvedBean().getBean(), own);
		}
		for (ControllerAdviceBean advice : this.advices.get()) {
			Class<?> type = advice.getBeanType();
			if (type != null && advice.isApplicableToBeanType(controller)) {
				Method method = resolver(type).resolveMethodByThrowable(problem);
				if (method != null) {
					return new InvocableHandlerMethod(advice.resolveBean(), method);
				}
			}
		}
		return null;
	}

	private ExceptionHandlerMethodResolver resolver(Class<?> type) {
		return this.resolvers.computeIfAbsent(type, ExceptionHandlerMethodResolver::new);
	}

	/**
	 * The exception, its causes and the handler, as possible arguments.
	 */
	private static Object[] argumentsFor(IdempotencyException problem, HandlerMethod handler) {
		List<Object> arguments = new ArrayList<>();
		for (Throwable cause = problem; cause != null && !arguments.contains(cause); cause = cause.getCause()) {
			arguments.add(cause);
		}
		arguments.add(handler);
		return arguments.toArray();
	}

}
