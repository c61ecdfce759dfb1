package dev.idempotency.web;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.idempotency.http.NamedRoutes;

import org.springframework.core.io.Resource;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * Finds the names of the operations of functional routes.
 */
final class RouteNames implements RouterFunctions.Visitor {

	private final NamedRoutes routes = new NamedRoutes();

	private RouteNames() {
	}

	static Set<String> of(RouterFunction<?> routes) {
		RouteNames visitor = new RouteNames();
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
			.accept((RequestPredicates.Visitor) Proxy.newProxyInstance(RouteNames.class.getClassLoader(),
					new Class<?>[] { RequestPredicates.Visitor.class }, visited));
	}

	@Override
	public void resources(Function<ServerRequest, Optional<Resource>> lookupFunction) {
		// Resources change nothing
	}

	@Override
	public void attributes(Map<String, Object> attributes) {
		// Attributes are not part of a name
	}

	@Override
	public void unknown(RouterFunction<?> routerFunction) {
		// The routes of such a function cannot be visited
	}

}
