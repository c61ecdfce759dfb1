package dev.idempotency.web;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;

/**
 * Applications run on Tomcat, although there is a Jetty too, unless they ask for one by
 * {@link JettyContainer}.
 */
class OneContainer implements AutoConfigurationImportFilter {

	@Override
	public boolean[] match(String[] candidates, AutoConfigurationMetadata metadata) {
		boolean[] matches = new boolean[candidates.length];
		for (int i = 0; i < candidates.length; i++) {
			matches[i] = candidates[i] == null || !candidates[i].startsWith("org.springframework.boot.jetty.");
		}
		return matches;
	}

}
