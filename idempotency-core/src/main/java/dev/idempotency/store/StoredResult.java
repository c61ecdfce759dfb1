package dev.idempotency.store;

import java.nio.ByteBuffer;
import java.util.Arrays;

import dev.idempotency.ResultTooLargeException;
import dev.idempotency.UnsupportedFormatException;
import org.jspecify.annotations.Nullable;

/**
 * The result of an operation as bytes, or a tombstone: the mere fact that it has run.
 * <p>
 * A store keeps the {@linkplain #toFrame() frame} and returns it unchanged. The frame
 * begins with the version of its format and a byte of flags; the edge that completed the
 * operation defines what follows. A frame of a newer format passes through an older
 * release unchanged: only {@link #payload()} and {@link #isTombstone()} refuse it.
 * <p>
 * Format 1 knows plain results and tombstones, format 2 those that the engine has
 * {@linkplain #isPacked() packed}. Each is written in the oldest format that can express
 * it, so that instances of an older release can read as much as possible.
 */
public final class StoredResult {

	/**
	 * The largest payload, in bytes.
	 */
	public static final int MAX_SIZE = 64 * 1024 * 1024;

	/**
	 * The version of a frame whose payload is as it was given.
	 */
	public static final byte PLAIN_FORMAT = 1;

	/**
	 * The version of a frame whose payload is compressed, encrypted or both.
	 */
	public static final byte PACKED_FORMAT = 2;

	/**
	 * The flag of a frame whose payload is compressed.
	 */
	public static final byte COMPRESSED = 2;

	/**
	 * The flag of a frame whose payload is encrypted.
	 */
	public static final byte ENCRYPTED = 4;

	/**
	 * How many bytes of a frame come before the payload.
	 */
	public static final int HEADER = 2;

	private static final byte TOMBSTONE_FLAG = 1;

	private static final StoredResult TOMBSTONE = new StoredResult(new byte[] { PLAIN_FORMAT, TOMBSTONE_FLAG });

	/**
	 * The frame, or the arrays it consists of until {@link #toFrame()} joins them. The
	 * first of them has the header.
	 */
	private volatile Object frame;

	private StoredResult(Object frame) {
		this.frame = frame;
	}

	/**
	 * A result.
	 * @param payload the bytes of the result, possibly none
	 * @throws ResultTooLargeException if there are more than {@link #MAX_SIZE} bytes
	 */
	public static StoredResult of(byte[] payload) {
		byte[] frame = new byte[HEADER + payload.length];
		System.arraycopy(payload, 0, frame, HEADER, payload.length);
		StoredResult result = ofPieces(frame);
		result.requireStorable();
		return result;
	}

	/**
	 * A result whose bytes are spread over several arrays, which are not copied and must
	 * not be changed any more. The engine checks their size.
	 * @param first begins with {@link #HEADER} bytes that are written here, followed by
	 * the first bytes of the result
	 * @param others the other bytes of the result
	 */
	public static StoredResult ofPieces(byte[] first, byte[]... others) {
		first[0] = PLAIN_FORMAT;
		first[1] = 0;
		if (others.length == 0) {
			return new StoredResult(first);
		}
		byte[][] pieces = new byte[1 + others.length][];
		pieces[0] = first;
		System.arraycopy(others, 0, pieces, 1, others.length);
		return new StoredResult(pieces);
	}

	/**
	 * Makes sure that the result is not too large to be stored.
	 * @throws ResultTooLargeException if there are more than {@link #MAX_SIZE}
	 */
	public void requireStorable() {
		int length = size() - HEADER;
		if (length > MAX_SIZE) {
			throw new ResultTooLargeException(
					"The result has %d bytes, more than the %d that can be stored: store a reference to it, or complete without a result"
						.formatted(length, MAX_SIZE));
		}
	}

	/**
	 * The mere fact that the operation has run.
	 */
	public static StoredResult tombstone() {
		return TOMBSTONE;
	}

	/**
	 * A result from its stored frame.
	 * @param frame what {@link #toFrame()} returned, in this release or another; it is
	 * not copied, and must not be changed any more
	 */
	public static StoredResult fromFrame(byte[] frame) {
		if (frame.length < HEADER) {
			throw new IllegalArgumentException(
					"A stored result begins with %d bytes of header, but this one has %d bytes in all".formatted(HEADER,
							frame.length));
		}
		return new StoredResult(frame);
	}

	/**
	 * The bytes to store. They are not copied, since they may be many, and must not be
	 * changed.
	 * @return the format's version, the flags and the payload
	 */
	public byte[] toFrame() {
		if (this.frame instanceof byte[][] pieces) {
			byte[] joined = new byte[size(pieces)];
			int at = 0;
			for (byte[] piece : pieces) {
				System.arraycopy(piece, 0, joined, at, piece.length);
				at += piece.length;
			}
			this.frame = joined;
			return joined;
		}
		return (byte[]) this.frame;
	}

	private static int size(byte[][] pieces) {
		int size = 0;
		for (byte[] piece : pieces) {
			size = Math.addExact(size, piece.length);
		}
		return size;
	}

	/**
	 * Whether there is nothing but the fact that the operation has run.
	 * @return whether this is a tombstone
	 * @throws UnsupportedFormatException if a newer release wrote this result
	 */
	public boolean isTombstone() {
		requireKnownFormat();
		return (flags() & TOMBSTONE_FLAG) != 0;
	}

	/**
	 * Whether the payload is compressed or encrypted. Stores see such results; the engine
	 * returns none.
	 * @return whether only the engine can read it
	 * @throws UnsupportedFormatException if a newer release wrote this result
	 */
	public boolean isPacked() {
		requireKnownFormat();
		return format() == PACKED_FORMAT;
	}

	/**
	 * The bytes of the result.
	 * @throws UnsupportedFormatException if a newer release wrote this result
	 * @throws IllegalStateException if the result is packed
	 */
	public ByteBuffer payload() {
		if (isPacked()) {
			throw new IllegalStateException("The result is compressed or encrypted: only the engine can read it");
		}
		byte[] frame = toFrame();
		return ByteBuffer.wrap(frame, HEADER, frame.length - HEADER).slice().asReadOnlyBuffer();
	}

	/**
	 * The size of the frame.
	 * @return the number of bytes
	 */
	public int size() {
		Object frame = this.frame;
		return (frame instanceof byte[][] pieces) ? size(pieces) : ((byte[]) frame).length;
	}

	/**
	 * Makes sure that this release can read the result.
	 * @throws UnsupportedFormatException if a newer release wrote it
	 */
	public void requireKnownFormat() {
		if (!isKnownFormat()) {
			throw new UnsupportedFormatException(
					"A stored result has format %d with flags %d, but this release reads only formats %d and %d: upgrade this instance"
						.formatted(format() & 0xff, flags() & 0xff, PLAIN_FORMAT, PACKED_FORMAT));
		}
	}

	private byte format() {
		return header()[0];
	}

	private byte flags() {
		return header()[1];
	}

	private byte[] header() {
		Object frame = this.frame;
		return (frame instanceof byte[][] pieces) ? pieces[0] : (byte[]) frame;
	}

	private boolean isKnownFormat() {
		return switch (format()) {
			case PLAIN_FORMAT -> (flags() & ~TOMBSTONE_FLAG) == 0;
			// Without a flag it would have been written in format 1
			case PACKED_FORMAT -> flags() != 0 && (flags() & ~(COMPRESSED | ENCRYPTED)) == 0;
			default -> false;
		};
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof StoredResult that && Arrays.equals(toFrame(), that.toFrame());
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(toFrame());
	}

	/**
	 * The size, never the content.
	 */
	@Override
	public String toString() {
		return "StoredResult[format %d, flags %d, %d bytes]".formatted(format() & 0xff, flags() & 0xff, size());
	}

}
