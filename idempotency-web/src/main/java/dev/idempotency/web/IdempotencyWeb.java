package dev.idempotency.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.core.Transactions;
import dev.idempotency.http.ExplicitExceptionHandlers;
import dev.idempotency.http.Gate;
import dev.idempotency.http.GivenAnswers;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.Problems;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.http.Route;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The HTTP edge for Spring MVC, assembled from its parts.
 */
public final class IdempotencyWeb {

	private final HttpSettings settings;

	private final HttpStrategies strategies;

	private final ApplicationContext context;

	private final ProtectedOperations operations;

	private final IdempotencyGate gate;

	private final IdempotencyExceptionResolver exceptionResolver;

	/**
	 * There are none when protection is switched off.
	 */
	private final @Nullable ProtectedHandlers handlers;

	/**
	 * Create the edge.
	 * @param calls those of the application, with its engine; or {@code null} if
	 * protection is switched off: handlers run each time, with a context that passes
	 * everything through, and dry runs are refused
	 * @param policies how annotated operations are protected
	 * @param settings how requests are protected
	 * @param strategies the strategies of the application
	 */
	public IdempotencyWeb(@Nullable Calls calls, AnnotationPolicies policies, HttpSettings settings,
			HttpStrategies strategies, ApplicationContext context) {
		IdempotencyEngine engine = (calls != null) ? calls.engine() : null;
		if (engine != null && settings.keyTime() != null) {
			engine.requireInspectable();
		}
		this.settings = settings;
		this.strategies = strategies;
		this.context = context;
		this.operations = ServletHandlerAnswers.operations(settings, policies, strategies);
		this.handlers = (engine != null)
				? new ProtectedHandlers(settings, engine.settings(), this.operations, strategies) : null;
		this.gate = new IdempotencyGate(new Gate(strategies, engine, settings.expires()), calls,
				(engine != null) ? context.getBeanProvider(Transactions.class).getIfAvailable() : null);
		this.exceptionResolver = new IdempotencyExceptionResolver(
				new Problems(settings, strategies.problemFormats(), context),
				new ExplicitExceptionHandlers(() -> ControllerAdviceBean.findAnnotatedBeans(context)));
	}

	/**
	 * The filter.
	 * @param ends reports the end of requests to it, or {@code null} if protection is
	 * switched off
	 */
	public IdempotencyFilter filter(@Nullable RequestEnds ends) {
		return new IdempotencyFilter((ends == null) ? null
				: new AnswerRules(new KeptHeaders(this.settings.excludedHeaders()), this.strategies.responsePolicy(),
						() -> this.context.getBean("handlerExceptionResolver", HandlerExceptionResolver.class), ends,
						this.context.getBeanProvider(FormLimits.class).orderedStream().toList()));
	}

	/**
	 * The interceptor.
	 */
	public IdempotencyInterceptor interceptor() {
		return new IdempotencyInterceptor(this.operations, this.gate);
	}

	/**
	 * The resolver that renders problem documents.
	 */
	public IdempotencyExceptionResolver exceptionResolver() {
		return this.exceptionResolver;
	}

	/**
	 * The resolver of context arguments, also when protection is switched off.
	 */
	public static HandlerMethodArgumentResolver contextArgumentResolver() {
		return new ContextArgumentResolver();
	}

	/**
	 * The writer of responses that operators provide.
	 */
	public ResultWriter resultWriter() {
		return new GivenAnswers(new KeptHeaders(this.settings.excludedHeaders()), this.settings.maxResponseBody());
	}

	/**
	 * The filter function that protects functional routes.
	 */
	public IdempotencyRouteFilter routeFilter() {
		return new IdempotencyRouteFilter(this.operations, this.gate, this.operations.defaultOperation());
	}

	/**
	 * Checks every handler as the settings say, and catalogs those of unsafe methods.
	 * @throws IdempotencyConfigurationException if one cannot work, or is not protected
	 * and should be
	 */
	public void checkHandlers(Collection<RequestMappingHandlerMapping> mappings) {
		List<Route> routes = new ArrayList<>();
		for (RequestMappingHandlerMapping mapping : mappings) {
			mapping.getHandlerMethods()
				.forEach((info,
						handler) -> routes.add(new Route(
								info.getMethodsCondition()
									.getMethods()
									.stream()
									.map(Enum::name)
									.collect(Collectors.toCollection(LinkedHashSet::new)),
								info.getPatternValues(), handler)));
		}
		handlers().check(routes, this.gate::requireTransactions, LoggerFactory.getLogger(IdempotencyInterceptor.class));
	}

	/**
	 * The names of the operations of functional routes, protected or not: Spring does not
	 * show which filters a route has.
	 */
	public static Set<String> namesOf(Collection<RouterFunctionMapping> mappings) {
		return mappings.stream()
			.map(RouterFunctionMapping::getRouterFunction)
			.filter(Objects::nonNull)
			.flatMap((routes) -> RouteNames.of(routes).stream())
			.collect(Collectors.toSet());
	}

	/**
	 * The handlers, described for operators and clients.
	 */
	public ProtectedHandlers handlers() {
		return Objects.requireNonNull(this.handlers, "protection is switched off");
	}

	/**
	 * Resolves {@link IdempotencyContext} arguments of handlers. If the request is not
	 * protected, an optional argument gets none, and any other gets a context that passes
	 * everything through.
	 */
	private static final class ContextArgumentResolver implements HandlerMethodArgumentResolver {

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

}
