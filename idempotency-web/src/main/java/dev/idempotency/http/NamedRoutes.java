package dev.idempotency.http;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Finds the names of the operations of functional routes, protected or not: Spring does
 * not show which filters a route has.
 */
public final class NamedRoutes {

	private static final Set<String> UNSAFE = Set.of("POST", "PUT", "PATCH", "DELETE");

	private final Deque<Condition> around = new ArrayDeque<>();

	private final Set<String> names = new TreeSet<>();

	/**
	 * Starts a group of routes with a common condition.
	 * @param condition passes its parts to a proxy of Spring's visitor
	 */
	public void startNested(Consumer<InvocationHandler> condition) {
		this.around.push(new Condition(condition, this.around.peek()));
	}

	/**
	 * Ends the group.
	 */
	public void endNested() {
		this.around.pop();
	}

	/**
	 * Adds a route.
	 * @param condition passes its parts to a proxy of Spring's visitor
	 */
	public void route(Consumer<InvocationHandler> condition) {
		Condition route = new Condition(condition, this.around.peek());
		for (String method : route.methods.isEmpty() ? UNSAFE : route.methods) {
			route.patterns.forEach((pattern) -> this.names.add(OperationNames.name(method, pattern)));
		}
	}

	/**
	 * The names of all routes so far.
	 */
	public Set<String> names() {
		return this.names;
	}

	/**
	 * The condition of a route, as far as it is part of the name.
	 */
	private static final class Condition {

		private final Set<String> methods = new LinkedHashSet<>();

		private final Set<String> patterns = new LinkedHashSet<>();

		private Condition(Consumer<InvocationHandler> predicate, @Nullable Condition around) {
			// Spring's visitor has a dozen callbacks, depending on its version: two count
			predicate.accept(this::visited);
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
