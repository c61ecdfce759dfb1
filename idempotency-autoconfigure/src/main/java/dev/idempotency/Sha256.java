package dev.idempotency;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256, which every Java platform has.
 */
final class Sha256 {

	static final int BYTES = 32;

	private Sha256() {
	}

	static byte[] digest(byte[] content) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(content);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
