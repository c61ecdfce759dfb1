package dev.idempotency.http;

import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyScope;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a request that its key can be made of. They are read on demand.
 */
public interface RequestFacts {

	/**
	 * The scope of the request.
	 */
	IdempotencyScope scope();

	/**
	 * The content of the request.
	 */
	RequestContent content();

	/**
	 * The fingerprint of the request.
	 */
	Fingerprint fingerprint();

	/**
	 * The key that the application's resolver finds.
	 * @return the key, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if the key cannot be used
	 */
	@Nullable String resolvedKey();

	/**
	 * The values of a header, one for each time that it was sent.
	 * @param name the name of the header
	 */
	List<String> headers(String name);

	/**
	 * The values of a parameter of the query, or of a form.
	 * @param name the name of the parameter
	 */
	List<String> parameters(String name);

	/**
	 * The value of a variable of the route.
	 * @param name the name of the variable
	 * @return the value, or {@code null} if there is none
	 */
	@Nullable String pathVariable(String name);

	/**
	 * The id of the client's session.
	 * @return the id, or {@code null} if there is none
	 */
	@Nullable String sessionId();

}
