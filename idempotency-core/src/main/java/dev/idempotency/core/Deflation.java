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

	private static final int HEADER = StoredResult.HEADER;

	private static final int LENGTH = Integer.BYTES;

	/**
	 * DEFLATE encodes at most 258 bytes in two bits.
	 */
	private static final int BEST_RATIO = 1032;

	/**
	 * From this size on, a sample tells first whether compression pays off.
	 */
	private static final int LONG = 16 * 1024;

	private static final int SAMPLE = 4 * 1024;

	private static final int PROMISING = SAMPLE * 3 / 5;

	private Deflation() {
	}

	/**
	 * Compresses.
	 * @param frame the original, after a header
	 * @return the compressed form, after room for a header, or {@code null} if that is
	 * not worth it
	 */
	static byte @Nullable [] compress(byte[] frame) {
		int length = frame.length - HEADER;
		if (length <= LENGTH) {
			return null;
		}
		// The client waits for this; better levels take several times as long. A new
		// deflater costs little in comparison
		Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
		try {
			if (length >= LONG && !isPromising(frame, deflater)) {
				return null;
			}
			deflater.setInput(frame, HEADER, length);
			deflater.finish();
			byte[] target = new byte[frame.length - 1];
			ByteBuffer.wrap(target).putInt(HEADER, length);
			int start = HEADER + LENGTH;
			int size = deflater.deflate(target, start, target.length - start);
			return deflater.finished() ? Arrays.copyOf(target, start + size) : null;
		}
		finally {
			deflater.end();
		}
	}

	/**
	 * Whether the beginning becomes much smaller. An image, an archive or a long text in
	 * Base64 does not, and takes several times as long.
	 */
	private static boolean isPromising(byte[] frame, Deflater deflater) {
		deflater.setInput(frame, HEADER, SAMPLE);
		deflater.finish();
		deflater.deflate(new byte[PROMISING]);
		boolean promising = deflater.finished();
		deflater.reset();
		return promising;
	}

	/**
	 * Decompresses, and allocates no more memory than the compressed form can expand to.
	 * @param key whose result it is
	 * @param compressed contains the compressed form
	 * @param from where it begins
	 * @return the original, after room for a header
	 * @throws UnreadableResultException if it is damaged
	 */
	static byte[] decompress(IdempotencyKey key, byte[] compressed, int from) {
		int size = compressed.length - from - LENGTH;
		int length = (size > 0) ? ByteBuffer.wrap(compressed).getInt(from) : -1;
		if (length < 0 || length > StoredResult.MAX_SIZE || length > (long) BEST_RATIO * size) {
			throw damaged(key, "its length is impossible");
		}
		Inflater inflater = new Inflater(true);
		try {
			inflater.setInput(compressed, from + LENGTH, size);
			byte[] target = new byte[HEADER + length];
			int inflated = inflater.inflate(target, HEADER, length);
			// The inflater finishes only when more is requested
			boolean longer = !inflater.finished() && inflater.inflate(new byte[1]) > 0;
			if (longer || inflated < length || !inflater.finished() || inflater.getRemaining() > 0) {
				throw damaged(key, "its length does not match");
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
