package dev.idempotency.digest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * SHA-256 digests.
 */
public final class Sha256 {

	/**
	 * The length of a digest.
	 */
	public static final int BYTES = 32;

	private static final MessageDigest UNUSED = find();

	/**
	 * A power of two, and enough for as many threads as run at once on most machines.
	 */
	private static final int KEPT = 32;

	/**
	 * Unused digests. A thread uses only the slot of its id.
	 */
	private static final AtomicReferenceArray<@Nullable MessageDigest> kept = new AtomicReferenceArray<>(KEPT);

	private Sha256() {
	}

	/**
	 * The digest of some content.
	 */
	public static byte[] digest(byte[] content) {
		MessageDigest sha256 = take();
		byte[] digest = sha256.digest(content);
		giveBack(sha256);
		return digest;
	}

	/**
	 * An empty digest.
	 */
	public static MessageDigest newDigest() {
		try {
			// Avoids a search through all providers, which costs more than a short digest
			return (MessageDigest) UNUSED.clone();
		}
		catch (CloneNotSupportedException ex) {
			return find();
		}
	}

	/**
	 * An empty digest, which may be {@linkplain #giveBack given back}.
	 */
	public static MessageDigest take() {
		MessageDigest digest = kept.getAndSet(place(), null);
		return (digest != null) ? digest : newDigest();
	}

	/**
	 * Keeps a digest for other callers.
	 * @param digest an empty digest that the caller no longer uses
	 */
	public static void giveBack(MessageDigest digest) {
		kept.lazySet(place(), digest);
	}

	private static int place() {
		return (int) Thread.currentThread().getId() & (KEPT - 1);
	}

	private static MessageDigest find() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
