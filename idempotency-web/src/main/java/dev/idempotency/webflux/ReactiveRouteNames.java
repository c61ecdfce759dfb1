package dev.idempotency.webflux;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.idempotency.http.NamedRoutes;
import reactor.core.publisher.Mono;

import org.springframework.core.io.Resource;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.RequestPredicate;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;

/**
 * Finds the names of the operations of functional routes.
 */
final class ReactiveRouteNames implements RouterFunctions.Visitor {

	private final NamedRoutes routes = new NamedRoutes();

	private ReactiveRouteNames() {
	}

	static Set<String> of(RouterFunction<?> routes) {
		ReactiveRouteNames visitor = new ReactiveRouteNames();
		routes.accept(visitor);
		return visitor.routes.names();
	}

	@Override
	public void startNested(RequestPredicate predicate) {
		this.routes.startNested(condition(predicate));
	}

	@Override
	public void endNested(RequestPredicate predicate) {
		this.routes.endNested();
	}

	@Override
	public void route(RequestPredicate predicate, HandlerFunction<?> handlerFunction) {
		this.routes.route(condition(predicate));
	}

	private static Consumer<InvocationHandler> condition(RequestPredicate predicate) {
		return (visited) -> predicate
			.accept((RequestPredicates.Visitor) Proxy.newProxyInstance(ReactiveRouteNames.class.getClassLoader(),
					new Class<?>[] { RequestPredicates.Visitor.class }, visited));
	}

	@Override
	public void resources(Function<ServerRequest, Mono<Resource>> lookupFunction) {
		// Resources change nothing
	}

	@Override
	public void attributes(Map<String, Object> attributes) {
		// Attributes are not part of a name
	}

	@Override
	public void unknown(RouterFunction<?> routerFunction) {
		// Its routes are unknown
	}

}
