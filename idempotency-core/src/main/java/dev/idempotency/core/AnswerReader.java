package dev.idempotency.core;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Says of an edge's results what may be shown of them.
 */
@FunctionalInterface
public interface AnswerReader {

	/**
	 * Reads a result.
	 * @param payload the bytes of the result
	 * @return what may be shown of it, or nothing if it is not one of this edge's
	 */
	Optional<Answer> read(ByteBuffer payload);

	/**
	 * An answer without its headers and body.
	 *
	 * @param status its status code
	 * @param size the number of bytes in its body
	 */
	record Answer(int status, long size) {
	}

}
