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
 * Finds out by which names the keys of functional routes would be remembered. Whether
 * they are protected it does not know, since nobody can see the filters of a route.
 */
public final class NamedRoutes {

	private static final Set<String> UNSAFE = Set.of("POST", "PUT", "PATCH", "DELETE");

	private final Deque<Condition> around = new ArrayDeque<>();

	private final Set<String> names = new TreeSet<>();

	/**
	 * Routes follow that have a condition in common.
	 * @param condition calls back with what it is made of, on a proxy of Spring's visitor
	 */
	public void startNested(Consumer<InvocationHandler> condition) {
		this.around.push(new Condition(condition, this.around.peek()));
	}

	/**
	 * There are no more of them.
	 */
	public void endNested() {
		this.around.pop();
	}

	/**
	 * A route.
	 * @param condition calls back with what it is made of, on a proxy of Spring's visitor
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
	 * What a request must have for a route, as far as it makes the name.
	 */
	private static final class Condition {

		private final Set<String> methods = new LinkedHashSet<>();

		private final Set<String> patterns = new LinkedHashSet<>();

		private Condition(Consumer<InvocationHandler> predicate, @Nullable Condition around) {
			// Of a dozen callbacks, more or fewer by the version of Spring, two count
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
