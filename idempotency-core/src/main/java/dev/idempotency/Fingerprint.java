package dev.idempotency;

import java.util.Arrays;
import java.util.HexFormat;

import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * A digest of everything that must not differ between a request and its retry.
 */
public final class Fingerprint {

	private static final Fingerprint NONE = new Fingerprint(new byte[0]);

	private final byte[] bytes;

	private Fingerprint(byte[] bytes) {
		this.bytes = bytes;
	}

	/**
	 * The fingerprint of operations that are identified by their key alone.
	 */
	public static Fingerprint none() {
		return NONE;
	}

	/**
	 * The SHA-256 of some content.
	 */
	public static Fingerprint sha256(byte[] content) {
		return new Fingerprint(Sha256.digest(content));
	}

	/**
	 * A fingerprint that was computed or stored elsewhere.
	 * @param bytes a SHA-256, or an empty array for {@link #none()}
	 */
	public static Fingerprint ofBytes(byte[] bytes) {
		if (bytes.length == 0) {
			return NONE;
		}
		if (bytes.length != Sha256.BYTES) {
			throw new IllegalArgumentException(
					"A fingerprint has %d bytes (a SHA-256) or none, not %d".formatted(Sha256.BYTES, bytes.length));
		}
		return new Fingerprint(bytes.clone());
	}

	/**
	 * The bytes to store.
	 * @return 32 bytes, or an empty array
	 */
	public byte[] toBytes() {
		return this.bytes.clone();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Fingerprint that && Arrays.equals(this.bytes, that.bytes);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

	@Override
	public String toString() {
		return (this.bytes.length == 0) ? "none" : HexFormat.of().formatHex(this.bytes, 0, 6);
	}

}
