package dev.idempotency.webflux;

import java.nio.ByteBuffer;
import java.util.Arrays;

import dev.idempotency.http.AnswerBody;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.buffer.DataBuffer;

/**
 * Records the body of a response while it streams, up to a limit.
 */
final class AnswerPieces {

	private static final int FIRST_SIZE = 512;

	private final int limit;

	private byte @Nullable [] bytes = new byte[0];

	private int length;

	private long seen;

	AnswerPieces(int limit) {
		this.limit = limit;
	}

	/**
	 * Copies the bytes of a buffer, which does not change.
	 */
	synchronized void add(DataBuffer buffer) {
		int count = buffer.readableByteCount();
		this.seen += count;
		if (this.bytes == null || count == 0) {
			return;
		}
		if (count > this.limit - this.length) {
			this.bytes = null;
			return;
		}
		int needed = this.length + count;
		if (needed > this.bytes.length) {
			this.bytes = Arrays.copyOf(this.bytes,
					Math.min(this.limit, Math.max(needed, Math.max(FIRST_SIZE, 2 * this.bytes.length))));
		}
		buffer.toByteBuffer(buffer.readPosition(), ByteBuffer.wrap(this.bytes), this.length, count);
		this.length = needed;
	}

	/**
	 * How many bytes there were, recorded or not.
	 */
	synchronized long seen() {
		return this.seen;
	}

	/**
	 * Whether the whole body is recorded.
	 */
	synchronized boolean isKept() {
		return this.bytes != null;
	}

	/**
	 * The whole body.
	 * @return {@code null} if it was too large
	 */
	synchronized @Nullable AnswerBody toBody() {
		return (this.bytes != null) ? AnswerBody.of(this.bytes, 0, this.length) : null;
	}

}
