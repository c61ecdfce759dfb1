package dev.idempotency.core;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * Compression: the length of the original in four bytes, then raw DEFLATE (RFC 1951).
 */
final class Deflation {

	private static final int LENGTH = Integer.BYTES;

	/**
	 * DEFLATE says at most 258 bytes with two bits.
	 */
	private static final int BEST_RATIO = 1032;

	private Deflation() {
	}

	/**
	 * Compresses.
	 * @return {@code null} if that would not make it smaller
	 */
	static byte @Nullable [] compress(byte[] content) {
		if (content.length <= LENGTH) {
			return null;
		}
		// The client waits for this; the better levels take several times as long
		Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
		try {
			deflater.setInput(content);
			deflater.finish();
			byte[] target = new byte[content.length - 1];
			ByteBuffer.wrap(target).putInt(content.length);
			int size = LENGTH + deflater.deflate(target, LENGTH, target.length - LENGTH);
			return deflater.finished() ? Arrays.copyOf(target, size) : null;
		}
		finally {
			deflater.end();
		}
	}

	/**
	 * Decompresses, and takes no more memory than the compressed form can be worth.
	 * @throws UnreadableResultException if it is damaged
	 */
	static byte[] decompress(IdempotencyKey key, byte[] compressed) {
		int length = (compressed.length > LENGTH) ? ByteBuffer.wrap(compressed).getInt() : -1;
		if (length < 0 || length > StoredResult.MAX_SIZE || length > (long) BEST_RATIO * (compressed.length - LENGTH)) {
			throw damaged(key, "its length cannot be true");
		}
		Inflater inflater = new Inflater(true);
		try {
			inflater.setInput(compressed, LENGTH, compressed.length - LENGTH);
			byte[] target = new byte[length];
			int size = inflater.inflate(target);
			// Only by asking for more does it come to its end
			boolean longer = !inflater.finished() && inflater.inflate(new byte[1]) > 0;
			if (longer || size < length || !inflater.finished() || inflater.getRemaining() > 0) {
				throw damaged(key, "its length is not what it was");
			}
			return target;
		}
		catch (DataFormatException ex) {
			throw damaged(key, "it cannot be decompressed");
		}
		finally {
			inflater.end();
		}
	}

	private static UnreadableResultException damaged(IdempotencyKey key, String how) {
		return new UnreadableResultException(
				"The stored result of %s is damaged, %s: find out who changed it in the store".formatted(key, how));
	}

}
