package dev.idempotency.webflux;

import java.nio.ByteBuffer;
import java.util.Arrays;

import dev.idempotency.http.AnswerBody;

import org.springframework.core.io.buffer.DataBuffer;

/**
 * The body of a response that is recorded while it streams, up to a limit.
 */
final class RecordedBody {

	private static final int FIRST_SIZE = 512;

	private final int limit;

	private byte[] bytes = new byte[0];

	private int length;

	RecordedBody(int limit) {
		this.limit = limit;
	}

	/**
	 * Copies the bytes of a buffer, which does not change.
	 * @return {@code false} if the body is too large
	 */
	synchronized boolean add(DataBuffer buffer) {
		int count = buffer.readableByteCount();
		if (count > this.limit - this.length) {
			this.bytes = new byte[0];
			return false;
		}
		int needed = this.length + count;
		if (needed > this.bytes.length) {
			this.bytes = Arrays.copyOf(this.bytes,
					Math.min(this.limit, Math.max(needed, Math.max(FIRST_SIZE, 2 * this.bytes.length))));
		}
		buffer.toByteBuffer(buffer.readPosition(), ByteBuffer.wrap(this.bytes), this.length, count);
		this.length = needed;
		return true;
	}

	synchronized AnswerBody toBody() {
		return AnswerBody.of(this.bytes, 0, this.length);
	}

}
