package dev.idempotency.web;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256, which every Java platform has.
 */
final class Sha256 {

	private static final MessageDigest UNUSED = find();

	private Sha256() {
	}

	static MessageDigest newDigest() {
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
