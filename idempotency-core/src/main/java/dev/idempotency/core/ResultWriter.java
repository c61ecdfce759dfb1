package dev.idempotency.core;

import java.util.Optional;

/**
 * Makes of what an operator says the result that an edge would have stored.
 */
@FunctionalInterface
public interface ResultWriter {

	/**
	 * Writes a result.
	 * @param operation what it is the result of
	 * @param given what the operator says
	 * @return the bytes of the result, or nothing if the operation is not one of this
	 * edge's
	 * @throws IllegalArgumentException if the operation cannot have such a result, with
	 * the reason
	 */
	Optional<byte[]> write(String operation, GivenResult given);

}
