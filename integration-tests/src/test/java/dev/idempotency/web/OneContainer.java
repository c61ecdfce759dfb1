package dev.idempotency.web;

import java.util.List;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;

/**
 * Applications run on Tomcat, and reactive ones on Netty, although there is more, unless
 * they ask for another one by {@link JettyContainer}.
 */
class OneContainer implements AutoConfigurationImportFilter {

	private static final List<String> OTHERS = List.of("org.springframework.boot.jetty.",
			"org.springframework.boot.tomcat.autoconfigure.reactive.");

	@Override
	public boolean[] match(String[] candidates, AutoConfigurationMetadata metadata) {
		boolean[] matches = new boolean[candidates.length];
		for (int i = 0; i < candidates.length; i++) {
			matches[i] = candidates[i] == null || OTHERS.stream().noneMatch(candidates[i]::startsWith);
		}
		return matches;
	}

}
