package dev.idempotency.http;

import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyScope;
import org.jspecify.annotations.Nullable;

/**
 * What a key can be made of. What has to be read for it is read when it is asked for.
 */
public interface RequestFacts {

	/**
	 * Whose request it is.
	 */
	IdempotencyScope scope();

	/**
	 * What the request brings along beside its head.
	 */
	RequestContent content();

	/**
	 * What makes it the same as another one.
	 */
	Fingerprint fingerprint();

	/**
	 * The key that the application's resolver finds.
	 * @return the key, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if there is one that cannot be used
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
	 * Names the session that the client is in.
	 * @return the id, or {@code null} if it is in none
	 */
	@Nullable String sessionId();

}
