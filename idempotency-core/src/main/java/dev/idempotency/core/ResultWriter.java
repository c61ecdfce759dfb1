package dev.idempotency.core;

import java.util.Optional;

/**
 * Turns a result that an operator gives into the result that an edge would have stored.
 */
@FunctionalInterface
public interface ResultWriter {

	/**
	 * Writes a result.
	 * @param given the result that the operator gives
	 * @return the bytes of the result, or empty if the operation does not belong to this
	 * edge
	 * @throws IllegalArgumentException if the operation cannot have such a result, with
	 * the reason
	 */
	Optional<byte[]> write(String operation, GivenResult given);

}
