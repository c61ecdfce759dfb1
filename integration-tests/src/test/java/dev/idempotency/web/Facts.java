package dev.idempotency.web;

import dev.idempotency.http.RequestFacts;
import jakarta.servlet.http.HttpServletRequest;

/**
 * The facts of requests, for tests of strategies.
 */
public final class Facts {

	private Facts() {
	}

	/**
	 * The facts of a request whose body is not read.
	 */
	public static RequestFacts of(HttpServletRequest request) {
		return new ServletFacts(request, null, 0);
	}

}
