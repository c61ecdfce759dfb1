package dev.idempotency.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * How a container limits forms. It parses those of unprotected handlers itself, and those
 * of protected handlers are read ahead.
 */
@FunctionalInterface
public interface FormLimits {

	/**
	 * The status with which the container refuses a form.
	 * @param size the size of its body, in bytes
	 * @param parameters the number of its parameters, including those of the query
	 * @return the status, or 0 if the container accepts the form
	 */
	int refusal(HttpServletRequest request, int size, int parameters);

}
