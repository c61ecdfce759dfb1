package dev.idempotency.webflux;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.ExplicitExceptionHandlers;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.Problems;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.http.HttpHeaders;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.InvocableHandlerMethod;
import org.springframework.web.reactive.result.method.annotation.ModelMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.PrincipalMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ServerWebExchangeMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;

/**
 * Tells clients why a request did not run.
 */
final class ReactiveProblems {

	private final Problems problems;

	private final ExplicitExceptionHandlers explicitHandlers;

	private final Supplier<List<ControllerAdviceBean>> advices;

	private final Map<Class<?>, ExceptionHandlerMethodResolver> resolvers = new ConcurrentHashMap<>();

	private final List<HandlerMethodArgumentResolver> argumentResolvers;

	ReactiveProblems(Problems problems, Supplier<List<ControllerAdviceBean>> advices) {
		this.problems = problems;
		this.advices = SingletonSupplier.of(advices);
		this.explicitHandlers = new ExplicitExceptionHandlers(this.advices);
		ReactiveAdapterRegistry registry = ReactiveAdapterRegistry.getSharedInstance();
		this.argumentResolvers = List.of(new ServerWebExchangeMethodArgumentResolver(registry),
				new PrincipalMethodArgumentResolver(registry), new ModelMethodArgumentResolver(registry));
	}

	/**
	 * Finds the exception handlers of the application.
	 */
	void prepare() {
		this.explicitHandlers.prepare();
		Objects.requireNonNull(this.advices.get());
	}

	/**
	 * Lets the application handle a problem for which it has an exception handler by
	 * name. Spring has not called the handler of the request, and would no longer look
	 * into its controller.
	 * @return what its exception handler returns, or {@code null} if it has none
	 */
	@Nullable Mono<HandlerResult> handledByApplication(IdempotencyException problem, ServerWebExchange exchange) {
		Object handler = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
		return (handler instanceof HandlerMethod method && this.explicitHandlers.handle(problem, handler))
				? handle(problem, exchange, method) : null;
	}

	private Mono<HandlerResult> handle(IdempotencyException problem, ServerWebExchange exchange,
			HandlerMethod handler) {
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

	/**
	 * The response to a request that did not run.
	 * @return {@code null} if there is none for such a problem
	 */
	@Nullable HttpAnswer toAnswer(IdempotencyException problem, ServerWebExchange exchange) {
		Locale locale = exchange.getLocaleContext().getLocale();
		return this.problems.toAnswer(problem, exchange.getRequest().getHeaders().getFirst(HttpHeaders.ACCEPT),
				(locale != null) ? locale : Locale.getDefault());
	}

}
