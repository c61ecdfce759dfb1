package dev.idempotency.core;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Set;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.digest.Sha256;

/**
 * A secret key and its id. Not a Java record, because its {@code toString} would reveal
 * the secret.
 */
final class EncryptionKey {

	private static final Set<Integer> LENGTHS = Set.of(16, 24, 32);

	private final int id;

	private final SecretKey secret;

	private EncryptionKey(byte[] secret) {
		this.id = ByteBuffer.wrap(Sha256.digest(secret)).getInt();
		this.secret = new SecretKeySpec(secret, "AES");
	}

	/**
	 * Reads a key.
	 * @param setting the setting that it comes from
	 * @param base64 the key; white space around it is ignored, since files end with a
	 * line feed
	 */
	static EncryptionKey parse(String setting, String base64) {
		byte[] secret = decode(setting, base64);
		if (!LENGTHS.contains(secret.length)) {
			throw wrong(setting, "has %d bytes".formatted(secret.length));
		}
		return new EncryptionKey(secret);
	}

	private static byte[] decode(String setting, String base64) {
		try {
			return Base64.getDecoder().decode(base64.strip());
		}
		catch (IllegalArgumentException ex) {
			// The message of the exception quotes the key
			throw wrong(setting, "is not valid Base64");
		}
	}

	private static IdempotencyConfigurationException wrong(String setting, String what) {
		return new IdempotencyConfigurationException(
				"%s must be 16, 24 or 32 bytes in Base64, but %s".formatted(setting, what),
				"Use the output of 'openssl rand -base64 32'.");
	}

	/**
	 * The first four bytes of its SHA-256.
	 */
	int id() {
		return this.id;
	}

	SecretKey secret() {
		return this.secret;
	}

}
