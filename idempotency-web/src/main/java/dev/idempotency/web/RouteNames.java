package dev.idempotency.web;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

import dev.idempotency.http.OperationNames;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Finds out by which names the keys of functional routes would be remembered. Whether
 * they are protected it does not know, since nobody can see the filters of a route.
 */
final class RouteNames implements RouterFunctions.Visitor {

	private static final Set<String> UNSAFE = Set.of("POST", "PUT", "PATCH", "DELETE");

	private final Deque<Condition> around = new ArrayDeque<>();

	private final Set<String> names = new TreeSet<>();

	private RouteNames() {
	}

	static Set<String> of(RouterFunction<?> routes) {
		RouteNames visitor = new RouteNames();
		routes.accept(visitor);
		return visitor.names;
	}

	@Override
	public void startNested(RequestPredicate predicate) {
		this.around.push(new Condition(predicate, this.around.peek()));
	}

	@Override
	public void endNested(RequestPredicate predicate) {
		this.around.pop();
	}

	@Override
	public void route(RequestPredicate predicate, HandlerFunction<?> handlerFunction) {
		Condition route = new Condition(predicate, this.around.peek());
		for (String method : route.methods.isEmpty() ? UNSAFE : route.methods) {
			route.patterns.forEach((pattern) -> this.names.add(OperationNames.name(method, pattern)));
		}
	}

	@Override
	public void resources(Function<ServerRequest, Optional<Resource>> lookupFunction) {
		// Resources change nothing
	}

	@Override
	public void attributes(Map<String, Object> attributes) {
		// Say nothing of a name
	}

	@Override
	public void unknown(RouterFunction<?> routerFunction) {
		// Nobody knows
	}

	/**
	 * What a request must have for a route, as far as it makes the name.
	 */
	private static final class Condition {

		private final Set<String> methods = new LinkedHashSet<>();

		private final Set<String> patterns = new LinkedHashSet<>();

		private Condition(RequestPredicate predicate, @Nullable Condition around) {
			// Of a dozen callbacks, more or fewer by the version of Spring, two count
			predicate.accept((RequestPredicates.Visitor) Proxy.newProxyInstance(RouteNames.class.getClassLoader(),
					new Class<?>[] { RequestPredicates.Visitor.class }, this::visited));
			if (around == null) {
				return;
			}
			if (this.methods.isEmpty()) {
				this.methods.addAll(around.methods);
			}
			List<String> inner = List.copyOf(this.patterns);
			if (inner.isEmpty()) {
				this.patterns.addAll(around.patterns);
			}
			else if (!around.patterns.isEmpty()) {
				this.patterns.clear();
				around.patterns
					.forEach((outer) -> inner.forEach((pattern) -> this.patterns.add(combine(outer, pattern))));
			}
		}

		private static String combine(String outer, String inner) {
			PathPatternParser parser = PathPatternParser.defaultInstance;
			return parser.parse(outer).combine(parser.parse(inner)).getPatternString();
		}

		private @Nullable Object visited(Object visitor, Method callback, Object @Nullable [] arguments) {
			if (arguments != null && callback.getName().equals("method")) {
				((Set<?>) arguments[0]).forEach((method) -> this.methods.add(method.toString()));
			}
			if (arguments != null && callback.getName().equals("path")) {
				this.patterns.add((String) arguments[0]);
			}
			return null;
		}

	}

}
