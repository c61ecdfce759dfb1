package dev.idempotency.web;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.OperationCatalog;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.core.Transactions;
import dev.idempotency.http.ClientContract;
import dev.idempotency.http.GivenAnswers;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.Problems;

import org.springframework.context.ApplicationContext;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The parts of the HTTP edge, put together.
 */
public final class IdempotencyWeb implements OperationCatalog {

	private final IdempotencyEngine engine;

	private final HttpSettings settings;

	private final HttpStrategies strategies;

	private final ApplicationContext context;

	private final ProtectedOperations operations;

	private final IdempotencyGate gate;

	private final IdempotencyExceptionResolver exceptionResolver;

	private volatile List<KnownOperation> known = List.of();

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
		this.engine = engine;
		this.settings = settings;
		this.strategies = strategies;
		this.context = context;
		this.operations = new ProtectedOperations(settings, policies, strategies.keyResolver());
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
		this.known = new HandlerAudit(this.settings, this.operations, this.gate, this.strategies.comparesRequests())
			.check(mappings);
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
	 * Whether requests with a method are protected, wherever they go.
	 * @param handler their handler
	 * @param method the method
	 */
	public boolean isProtected(HandlerMethod handler, String method) {
		return this.operations.find(handler, method) != null;
	}

	/**
	 * What clients need to know of a handler.
	 * @param handler the handler
	 * @param method the method with which they call it
	 * @param path the path of its route, with or without the expressions of its variables
	 * @return what they need to know, if it is protected
	 */
	public Optional<ClientContract> contractOf(HandlerMethod handler, String method, String path) {
		String documented = OperationNames.name(method, path);
		String name = this.known.stream()
			.map(KnownOperation::name)
			.filter((it) -> ClientContract.withoutExpressions(it).equals(documented))
			.findFirst()
			.orElse(documented);
		return Optional.ofNullable(this.operations.find(handler, method))
			.map((operation) -> ClientContract.of(this.operations.named(operation, name), this.engine.settings(),
					this.strategies.comparesRequests()));
	}

	/**
	 * How requests are protected.
	 */
	public HttpSettings settings() {
		return this.settings;
	}

	@Override
	public List<KnownOperation> operations() {
		return this.known;
	}

}
