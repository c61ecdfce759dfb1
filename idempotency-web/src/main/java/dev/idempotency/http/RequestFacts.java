package dev.idempotency.http;

import java.security.Principal;
import java.util.List;

import dev.idempotency.IdempotencyKeyMissingException;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an HTTP request, on Spring MVC and WebFlux alike. It is read on
 * demand, and never blocks on WebFlux.
 */
public interface RequestFacts {

	/**
	 * The method of the request.
	 */
	String method();

	/**
	 * The path of the request, as it was sent.
	 */
	String path();

	/**
	 * The query of the request, as it was sent.
	 * @return the query, or {@code null} if there is none
	 */
	@Nullable String query();

	/**
	 * The authenticated caller.
	 * @return the caller, or {@code null} if nobody is authenticated
	 */
	@Nullable Principal principal();

	/**
	 * The values of a header, one for each time that it was sent.
	 * @param name the name of the header
	 * @return the values, none if it was not sent
	 */
	List<String> headers(String name);

	/**
	 * The value of a header, the first one if it was sent more than once.
	 * @param name the name of the header
	 * @return the value, or {@code null} if it was not sent
	 */
	default @Nullable String header(String name) {
		List<String> values = headers(name);
		return values.isEmpty() ? null : values.get(0);
	}

	/**
	 * The values of a parameter of the query, or of a form.
	 * @param name the name of the parameter
	 * @return the values, none if it was not sent
	 */
	List<String> parameters(String name);

	/**
	 * The value of a variable of the route.
	 * @param name the name of the variable
	 * @return the value, or {@code null} if there is none
	 */
	@Nullable String pathVariable(String name);

	/**
	 * An attribute of the request, such as a filter may have set.
	 * @param name the name of the attribute
	 * @return the attribute, or {@code null} if there is none
	 */
	@Nullable Object attribute(String name);

	/**
	 * The id of the client's session.
	 * @return the id, or {@code null} if there is none
	 */
	@Nullable String sessionId();

	/**
	 * The content of the request. On Spring MVC it is read ahead of the handler now.
	 * @throws IdempotencyKeyMissingException if it is not read ahead of the handler
	 */
	RequestContent content();

	/**
	 * The request itself.
	 * @return an {@code HttpServletRequest} or a {@code ServerWebExchange}
	 */
	Object nativeRequest();

}
