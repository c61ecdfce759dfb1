package dev.idempotency.digest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256, which every Java platform has.
 */
public final class Sha256 {

	/**
	 * The length of a digest.
	 */
	public static final int BYTES = 32;

	private static final MessageDigest UNUSED = find();

	private Sha256() {
	}

	/**
	 * The digest of some content.
	 * @param content the content
	 * @return the digest
	 */
	public static byte[] digest(byte[] content) {
		return newDigest().digest(content);
	}

	/**
	 * A digest with nothing in it.
	 * @return the digest
	 */
	public static MessageDigest newDigest() {
		try {
			// Without a search through all providers, which costs more than a short
			// digest
			return (MessageDigest) UNUSED.clone();
		}
		catch (CloneNotSupportedException ex) {
			return find();
		}
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
