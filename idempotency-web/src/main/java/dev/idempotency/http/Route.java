package dev.idempotency.http;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

import org.springframework.web.method.HandlerMethod;

/**
 * Which requests go to a handler.
 *
 * @param methods their methods, or none if all do
 * @param patterns the patterns of their paths
 */
public record Route(Set<String> methods, Set<String> patterns, HandlerMethod handler) {

	public Route {
		methods = Collections.unmodifiableSet(new LinkedHashSet<>(methods));
		patterns = Collections.unmodifiableSet(new LinkedHashSet<>(patterns));
	}

}
