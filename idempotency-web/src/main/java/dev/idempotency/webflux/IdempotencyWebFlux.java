package dev.idempotency.webflux;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.http.Gate;
import dev.idempotency.http.GivenAnswers;
import dev.idempotency.http.HandlerAnswers;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.Problems;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.http.Route;
import dev.idempotency.reactive.ReactiveEngine;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.function.server.support.RouterFunctionMapping;
import org.springframework.web.reactive.result.method.HandlerMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The HTTP edge for WebFlux, assembled from its parts.
 */
public final class IdempotencyWebFlux {

	private final HttpSettings settings;

	private final ProtectedOperations operations;

	/**
	 * There are none when protection is switched off.
	 */
	private final @Nullable ProtectedHandlers handlers;

	private final ReactiveGate gate;

	private final IdempotencyHandlerAdapter adapter;

	/**
	 * Create the edge.
	 * @param engine decides whether requests run, or {@code null} if protection is
	 * switched off: handlers run each time, with a context that passes everything
	 * through, and dry runs are refused
	 * @param calls runs the steps of handlers, or {@code null} in the same way
	 * @param policies how annotated operations are protected
	 * @param settings how requests are protected
	 * @param strategies the strategies of the application
	 */
	public IdempotencyWebFlux(@Nullable ReactiveEngine engine, @Nullable Calls calls, AnnotationPolicies policies,
			HttpSettings settings, HttpStrategies strategies, ApplicationContext context) {
		IdempotencyEngine decides = (engine != null) ? engine.engine() : null;
		if (decides != null && settings.keyTime() != null) {
			decides.requireInspectable();
		}
		this.settings = settings;
		this.operations = new ProtectedOperations(settings, policies, strategies, new ReactiveHandlerAnswers(),
				LoggerFactory.getLogger(IdempotencyHandlerAdapter.class));
		this.handlers = (decides != null)
				? new ProtectedHandlers(settings, decides.settings(), this.operations, strategies) : null;
		ReactiveProblems problems = new ReactiveProblems(new Problems(settings, strategies.problemFormats(), context),
				() -> ControllerAdviceBean.findAnnotatedBeans(context));
		this.gate = new ReactiveGate(new Gate(strategies, decides, settings.expires()), engine, calls,
				new ContentReader(() -> context.getBean(ServerCodecConfigurer.class)),
				new ReactiveRun.Rules(new KeptHeaders(settings.excludedHeaders()), strategies.responsePolicy(),
						problems),
				() -> context.getBean(DispatcherHandler.class));
		this.adapter = new IdempotencyHandlerAdapter(this.operations, this.gate, problems,
				() -> context.getBean(RequestMappingHandlerAdapter.class));
	}

	/**
	 * The decorator that carries requests through the application. When protection is
	 * switched off, it only lets them know their operations.
	 */
	public HttpHandlerDecoratorFactory handlerDecorator() {
		return (this.handlers != null) ? IdempotencyHttpHandler::new : IdempotencyHttpHandler::off;
	}

	/**
	 * The filter that gives carried requests the attributes that Spring gives to its own.
	 */
	public static WebFilter requestAttributes() {
		return new OrderedFilter(Ordered.HIGHEST_PRECEDENCE, ReactiveRequest::shareAttributes);
	}

	/**
	 * The filter behind all others, which begins the dispatch to a handler.
	 */
	public static WebFilter dispatches() {
		return new OrderedFilter(Ordered.LOWEST_PRECEDENCE, ReactiveDispatch::filter);
	}

	/**
	 * The resolver of context arguments, also when protection is switched off.
	 */
	public static HandlerMethodArgumentResolver contextArgumentResolver() {
		return new ReactiveContextArgumentResolver();
	}

	/**
	 * The adapter that calls protected handlers.
	 */
	public IdempotencyHandlerAdapter adapter() {
		return this.adapter;
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
	public ReactiveIdempotencyRouteFilter routeFilter() {
		return new ReactiveIdempotencyRouteFilter(this.operations, this.gate, this.operations.defaultOperation());
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
								info.getPatternsCondition()
									.getPatterns()
									.stream()
									.map(PathPattern::getPatternString)
									.collect(Collectors.toCollection(LinkedHashSet::new)),
								handler)));
		}
		handlers().check(routes, (operation, handler) -> {
			// Nothing to add: what is impossible was refused before
		}, LoggerFactory.getLogger(IdempotencyHandlerAdapter.class));
	}

	/**
	 * The names of the operations of functional routes, protected or not: Spring does not
	 * show which filters a route has.
	 */
	public static Set<String> namesOf(Collection<RouterFunctionMapping> mappings) {
		return mappings.stream()
			.map(RouterFunctionMapping::getRouterFunction)
			.filter(Objects::nonNull)
			.flatMap((routes) -> ReactiveRouteNames.of(routes).stream())
			.collect(Collectors.toSet());
	}

	/**
	 * The handlers, described for operators and clients.
	 */
	public ProtectedHandlers handlers() {
		return Objects.requireNonNull(this.handlers, "protection is switched off");
	}

	/**
	 * A filter with a place among all others.
	 */
	private record OrderedFilter(int place, WebFilter filter) implements WebFilter, Ordered {

		@Override
		public int getOrder() {
			return this.place;
		}

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			return this.filter.filter(exchange, chain);
		}

		/**
		 * Short and known, since Spring puts it into a checkpoint of each request.
		 */
		@Override
		public String toString() {
			return "@Idempotent";
		}

	}

	/**
	 * What the edge for WebFlux knows about responses: each is written as it comes, on
	 * any thread.
	 */
	private static final class ReactiveHandlerAnswers implements HandlerAnswers {

		@Override
		public void requirePossible(Idempotent annotation, Class<?> answer, String handler) {
			requireAbsent(annotation.transactional(), "transactional = true", handler);
			requireAbsent(annotation.dryRun() == DryRun.ROLLBACK, "dryRun = ROLLBACK", handler);
		}

		private static void requireAbsent(boolean present, String attribute, String handler) {
			if (present) {
				throw new IdempotencyConfigurationException(
						"%s asks for %s, but the transactions of WebFlux handlers are not bound to a thread that a store could join"
							.formatted(handler, attribute),
						"Leave %s out, or put @Idempotent(transactional = true) on a blocking method of a bean, and call it on a scheduler for blocking work."
							.formatted(attribute));
			}
		}

		@Override
		public boolean stream(@Nullable HandlerMethod handler, Class<?> answer) {
			return false;
		}

		@Override
		public boolean mayBeTask(Class<?> answer) {
			return false;
		}

	}

	/**
	 * Resolves {@link IdempotencyContext} arguments of handlers. If an operation runs
	 * unprotected, its context passes everything through, and an {@link Optional} is
	 * empty.
	 */
	private static final class ReactiveContextArgumentResolver implements HandlerMethodArgumentResolver {

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

}
