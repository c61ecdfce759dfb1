package dev.idempotency.web;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A request that its container has finished. It still provides simple facts, headers and
 * attributes to a handler that continues without its client. All other calls fail.
 */
final class EndedRequest implements InvocationHandler {

	/**
	 * A request that its handler has finished, too. It provides no facts.
	 */
	static final HttpServletRequest FORGOTTEN = new EndedRequest(Map.of(), Map.of(), Map.of()).asRequest();

	private static final Set<Class<?>> SIMPLE = Set.of(String.class, StringBuffer.class, int.class, long.class,
			boolean.class, Locale.class, Principal.class, DispatcherType.class);

	private final Map<String, Object> facts;

	private final Map<String, List<String>> headers;

	private final Map<String, Object> attributes;

	private EndedRequest(Map<String, Object> facts, Map<String, List<String>> headers, Map<String, Object> attributes) {
		this.facts = facts;
		this.headers = headers;
		this.attributes = attributes;
	}

	/**
	 * Copies what a request provides after its end.
	 */
	static HttpServletRequest of(HttpServletRequest request) {
		Map<String, Object> facts = new HashMap<>();
		for (Method method : HttpServletRequest.class.getMethods()) {
			if (method.getParameterCount() == 0 && SIMPLE.contains(method.getReturnType())) {
				Object fact = ask(request, method);
				if (fact != null) {
					facts.put(method.getName(), fact);
				}
			}
		}
		facts.put("isAsyncStarted", false);
		Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		for (String name : Collections.list(request.getHeaderNames())) {
			headers.put(name, Collections.list(request.getHeaders(name)));
		}
		Map<String, Object> attributes = new HashMap<>();
		for (String name : Collections.list(request.getAttributeNames())) {
			Object value = request.getAttribute(name);
			if (value != null) {
				attributes.put(name, value);
			}
		}
		return new EndedRequest(facts, headers, attributes).asRequest();
	}

	private static @Nullable Object ask(HttpServletRequest request, Method method) {
		try {
			return method.invoke(request);
		}
		catch (InvocationTargetException | IllegalAccessException ex) {
			// Leave out what the container cannot provide
			return null;
		}
	}

	private HttpServletRequest asRequest() {
		return (HttpServletRequest) Proxy.newProxyInstance(EndedRequest.class.getClassLoader(),
				new Class<?>[] { HttpServletRequest.class }, this);
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
		String name = method.getName();
		if (arguments == null) {
			return answer(name, method.getReturnType());
		}
		return switch (name) {
			case "getHeader" -> first((String) arguments[0]);
			case "getHeaders" -> enumerate(this.headers.getOrDefault((String) arguments[0], List.of()));
			case "getAttribute" -> this.attributes.get(arguments[0]);
			// Changes are ignored: no other code reads them
			case "setAttribute", "removeAttribute" -> null;
			case "equals" -> proxy == arguments[0];
			default -> throw over();
		};
	}

	private @Nullable Object answer(String name, Class<?> type) {
		return switch (name) {
			case "getHeaderNames" -> enumerate(this.headers.keySet());
			case "getAttributeNames" -> enumerate(this.attributes.keySet());
			case "isAsyncStarted", "isAsyncSupported" -> false;
			case "hashCode" -> System.identityHashCode(this);
			case "toString" -> "a request that has ended";
			default -> {
				Object fact = this.facts.get(name);
				if (fact == null && (this.facts.isEmpty() || !SIMPLE.contains(type) || type.isPrimitive())) {
					throw over();
				}
				yield fact;
			}
		};
	}

	private @Nullable String first(String name) {
		List<String> values = this.headers.getOrDefault(name, List.of());
		return values.isEmpty() ? null : values.get(0);
	}

	private static Enumeration<String> enumerate(Collection<String> values) {
		return Collections.enumeration(values);
	}

	private static IllegalStateException over() {
		return new IllegalStateException(
				"The request has ended, and the container may reuse it. Read what is needed of it before it ends");
	}

}
