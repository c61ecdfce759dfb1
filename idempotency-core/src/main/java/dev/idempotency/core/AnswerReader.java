package dev.idempotency.core;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reads the part of an edge's results that may be shown.
 */
@FunctionalInterface
public interface AnswerReader {

	/**
	 * Reads a result.
	 * @param payload the bytes of the result
	 * @return what may be shown of it, or empty if it is not a result of this edge
	 */
	Optional<Answer> read(ByteBuffer payload);

	/**
	 * A response without its headers and body.
	 *
	 * @param size the number of bytes in its body
	 */
	record Answer(int status, long size) {
	}

}
