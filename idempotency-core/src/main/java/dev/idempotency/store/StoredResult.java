package dev.idempotency.store;

import java.nio.ByteBuffer;
import java.util.Arrays;

import dev.idempotency.ResultTooLargeException;
import dev.idempotency.UnsupportedFormatException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of an operation as bytes, or the mere fact that it has one (a tombstone).
 * <p>
 * A store keeps the {@linkplain #toFrame() frame} and gives it back as it was, whatever
 * is in it. The frame begins with the version of its format and a byte of flags; what
 * follows belongs to whoever completed the operation. A frame of a newer format travels
 * through an older release unharmed: only {@link #payload()} and {@link #isTombstone()}
 * refuse.
 * <p>
 * Format 1 knows plain results and tombstones, format 2 those that the engine has
 * {@linkplain #isPacked() packed}. Each is written in the oldest format that can say it,
 * so that instances of an older release understand as much as possible.
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

	private static final int HEADER = 2;

	private static final byte TOMBSTONE_FLAG = 1;

	private static final StoredResult TOMBSTONE = new StoredResult(new byte[] { PLAIN_FORMAT, TOMBSTONE_FLAG });

	private final byte[] frame;

	private StoredResult(byte[] frame) {
		this.frame = frame;
	}

	/**
	 * A result.
	 * @param payload the bytes of the result, possibly none
	 * @return the result
	 * @throws ResultTooLargeException if there are more than {@link #MAX_SIZE} bytes
	 */
	public static StoredResult of(byte[] payload) {
		if (payload.length > MAX_SIZE) {
			throw new ResultTooLargeException(
					"The result has %d bytes, more than the %d that can be stored: store a reference to it, or complete without a result"
						.formatted(payload.length, MAX_SIZE));
		}
		byte[] frame = new byte[HEADER + payload.length];
		frame[0] = PLAIN_FORMAT;
		System.arraycopy(payload, 0, frame, HEADER, payload.length);
		return new StoredResult(frame);
	}

	/**
	 * The mere fact that the operation has come to an end.
	 * @return the result
	 */
	public static StoredResult tombstone() {
		return TOMBSTONE;
	}

	/**
	 * The result that a store has kept.
	 * @param frame what {@link #toFrame()} gave, by this release or another; it is not
	 * copied, and must not be changed any more
	 * @return the result
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
	 * The bytes for a store to keep. They are not copied, since they may be many, and
	 * must not be changed.
	 * @return the format's version, the flags and the payload
	 */
	public byte[] toFrame() {
		return this.frame;
	}

	/**
	 * Whether there is nothing but the fact that the operation has come to an end.
	 * @return whether this is a tombstone
	 * @throws UnsupportedFormatException if a newer release wrote this result
	 */
	public boolean isTombstone() {
		requireKnownFormat();
		return (flags() & TOMBSTONE_FLAG) != 0;
	}

	/**
	 * Whether the payload is compressed or encrypted. Stores see such results; the engine
	 * gives out none.
	 * @return whether only the engine can read it
	 * @throws UnsupportedFormatException if a newer release wrote this result
	 */
	public boolean isPacked() {
		requireKnownFormat();
		return format() == PACKED_FORMAT;
	}

	/**
	 * The bytes of the result.
	 * @return a read-only view
	 * @throws UnsupportedFormatException if a newer release wrote this result
	 * @throws IllegalStateException if the result is packed
	 */
	public ByteBuffer payload() {
		if (isPacked()) {
			throw new IllegalStateException(
					"The result is compressed or encrypted: only the engine can read what the store keeps");
		}
		return ByteBuffer.wrap(this.frame, HEADER, this.frame.length - HEADER).slice().asReadOnlyBuffer();
	}

	/**
	 * The size of the frame.
	 * @return the number of bytes
	 */
	public int size() {
		return this.frame.length;
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
		return this.frame[0];
	}

	private byte flags() {
		return this.frame[1];
	}

	private boolean isKnownFormat() {
		return switch (format()) {
			case PLAIN_FORMAT -> (flags() & ~TOMBSTONE_FLAG) == 0;
			// Without a flag it would have been written in the first format
			case PACKED_FORMAT -> flags() != 0 && (flags() & ~(COMPRESSED | ENCRYPTED)) == 0;
			default -> false;
		};
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof StoredResult that && Arrays.equals(this.frame, that.frame);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.frame);
	}

	/**
	 * Tells the size, never the content.
	 */
	@Override
	public String toString() {
		return "StoredResult[format %d, flags %d, %d bytes]".formatted(format() & 0xff, flags() & 0xff, size());
	}

}
