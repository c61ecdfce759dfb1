package dev.idempotency.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.core.Transactions;
import dev.idempotency.http.ExplicitExceptionHandlers;
import dev.idempotency.http.GivenAnswers;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.Problems;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.http.Route;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The parts of the HTTP edge, put together.
 */
public final class IdempotencyWeb {

	private final HttpSettings settings;

	private final HttpStrategies strategies;

	private final ApplicationContext context;

	private final ProtectedOperations operations;

	private final IdempotencyGate gate;

	private final IdempotencyExceptionResolver exceptionResolver;

	private final ProtectedHandlers handlers;

	/**
	 * Create the edge.
	 * @param engine decides
	 * @param calls remembers the steps of handlers
	 * @param policies how annotated operations are protected
	 * @param settings how requests are protected
	 * @param strategies what the application decides differently
	 * @param context the application
	 */
	public IdempotencyWeb(IdempotencyEngine engine, Calls calls, AnnotationPolicies policies, HttpSettings settings,
			HttpStrategies strategies, ApplicationContext context) {
		this.settings = settings;
		this.strategies = strategies;
		this.context = context;
		this.operations = ServletHandlerAnswers.operations(settings, policies, strategies.keyResolver());
		this.handlers = new ProtectedHandlers(settings, engine.settings(), this.operations,
				strategies.comparesRequests());
		this.gate = new IdempotencyGate(engine, calls, strategies,
				context.getBeanProvider(Transactions.class).getIfAvailable());
		this.exceptionResolver = new IdempotencyExceptionResolver(
				new Problems(settings, strategies.problemFormats(), context),
				new ExplicitExceptionHandlers(() -> ControllerAdviceBean.findAnnotatedBeans(context)));
	}

	/**
	 * The filter.
	 * @param ends tells it of the end of requests
	 */
	public IdempotencyFilter filter(RequestEnds ends) {
		return new IdempotencyFilter(
				new AnswerRules(new KeptHeaders(this.settings.excludedHeaders()), this.strategies.responsePolicy(),
						(request, response, handler, problem) -> this.context
							.getBean("handlerExceptionResolver", HandlerExceptionResolver.class)
							.resolveException(request, response, handler, problem),
						ends));
	}

	/**
	 * The interceptor.
	 */
	public IdempotencyInterceptor interceptor() {
		return new IdempotencyInterceptor(this.operations, this.gate);
	}

	/**
	 * Answers with problem documents.
	 */
	public IdempotencyExceptionResolver exceptionResolver() {
		return this.exceptionResolver;
	}

	/**
	 * Gives handlers their context, also when protection is switched off.
	 */
	public static HandlerMethodArgumentResolver contextArgumentResolver() {
		return new ContextArgumentResolver();
	}

	/**
	 * Writes the answers that operators give.
	 */
	public ResultWriter resultWriter() {
		return new GivenAnswers(new KeptHeaders(this.settings.excludedHeaders()), this.settings.maxResponseBody());
	}

	/**
	 * Protects functional routes.
	 * @return the filter function
	 */
	public IdempotencyRouteFilter routeFilter() {
		return new IdempotencyRouteFilter(this.operations, this.gate, this.operations.defaultOperation());
	}

	/**
	 * Looks at every handler, as the settings say, and from then on knows what the unsafe
	 * ones do.
	 * @param mappings the handlers
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
		this.handlers.check(routes, this.gate::requireTransactions,
				LoggerFactory.getLogger(IdempotencyInterceptor.class));
	}

	/**
	 * The names of the operations of functional routes, protected or not: nobody can see
	 * which of them are.
	 * @param mappings the routes
	 */
	public static Set<String> namesOf(Collection<RouterFunctionMapping> mappings) {
		return mappings.stream()
			.map(RouterFunctionMapping::getRouterFunction)
			.filter(Objects::nonNull)
			.flatMap((routes) -> RouteNames.of(routes).stream())
			.collect(Collectors.toSet());
	}

	/**
	 * The handlers, as operators and clients are told of them.
	 */
	public ProtectedHandlers handlers() {
		return this.handlers;
	}

}
