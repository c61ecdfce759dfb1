package dev.idempotency.core;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.digest.Sha256;
import dev.idempotency.store.StoredResult;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Encryption with AES-GCM. The header of the frame is followed by the id of the key in
 * four bytes, a random nonce of twelve, the ciphertext and its tag of sixteen.
 * <p>
 * The header and the idempotency key are authenticated too, so that a result that was
 * moved to the record of another key cannot be decrypted there.
 */
final class ResultCipher {

	private static final int ID = Integer.BYTES;

	private static final int NONCE = 12;

	private static final int TAG = 16;

	private static final int START = StoredResult.HEADER + ID + NONCE;

	private final @Nullable EncryptionKey current;

	private final List<EncryptionKey> keys;

	private final SecureRandom random = new SecureRandom();

	private ResultCipher(@Nullable EncryptionKey current, List<EncryptionKey> keys) {
		this.current = current;
		this.keys = List.copyOf(keys);
	}

	static ResultCipher none() {
		return new ResultCipher(null, List.of());
	}

	static ResultCipher of(@Nullable String key, List<String> previousKeys) {
		List<EncryptionKey> keys = new ArrayList<>();
		EncryptionKey current = (key != null && !key.isBlank()) ? EncryptionKey.parse("idempotency.encryption.key", key)
				: null;
		if (current != null) {
			keys.add(current);
		}
		for (int i = 0; i < previousKeys.size(); i++) {
			if (!previousKeys.get(i).isBlank()) {
				keys.add(EncryptionKey.parse("idempotency.encryption.previous-keys[%d]".formatted(i),
						previousKeys.get(i)));
			}
		}
		return new ResultCipher(current, keys);
	}

	boolean isEncrypting() {
		return this.current != null;
	}

	/**
	 * Encrypts.
	 * @param plain what to encrypt, after a header
	 */
	byte[] seal(IdempotencyKey key, byte flags, byte[] plain) {
		if (this.current == null) {
			throw new IllegalStateException("No encryption key is configured");
		}
		byte[] nonce = new byte[NONCE];
		this.random.nextBytes(nonce);
		int length = plain.length - StoredResult.HEADER;
		byte[] frame = new byte[START + length + TAG];
		ByteBuffer.wrap(frame).put(StoredResult.PACKED_FORMAT).put(flags).putInt(this.current.id()).put(nonce);
		try {
			cipher(Cipher.ENCRYPT_MODE, this.current, key, frame).doFinal(plain, StoredResult.HEADER, length, frame,
					START);
			return frame;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("The result cannot be encrypted: " + ex, ex);
		}
	}

	/**
	 * Decrypts.
	 * @throws UnreadableResultException if no known key decrypts it
	 */
	byte[] open(IdempotencyKey key, byte[] frame) {
		if (frame.length < START + TAG) {
			throw new UnreadableResultException(
					"The stored result of %s is damaged, it is too short: find out who changed it in the store"
						.formatted(key));
		}
		int id = ByteBuffer.wrap(frame).getInt(StoredResult.HEADER);
		List<EncryptionKey> candidates = this.keys.stream().filter((it) -> it.id() == id).toList();
		for (EncryptionKey candidate : candidates) {
			byte[] content = open(candidate, key, frame);
			if (content != null) {
				return content;
			}
		}
		throw new UnreadableResultException((candidates.isEmpty()
				? "The stored result of %s was encrypted with a key that is not configured: add it to the previous encryption keys"
				: "The stored result of %s is damaged, or was stored for another key: find out who changed it in the store")
			.formatted(key));
	}

	private static byte @Nullable [] open(EncryptionKey candidate, IdempotencyKey key, byte[] frame) {
		try {
			return cipher(Cipher.DECRYPT_MODE, candidate, key, frame).doFinal(frame, START, frame.length - START);
		}
		catch (AEADBadTagException ex) {
			return null;
		}
		catch (GeneralSecurityException ex) {
			throw new UnreadableResultException("The stored result of %s cannot be decrypted: %s".formatted(key, ex));
		}
	}

	private static Cipher cipher(int mode, EncryptionKey secret, IdempotencyKey key, byte[] frame)
			throws GeneralSecurityException {
		Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
		cipher.init(mode, secret.secret(),
				new GCMParameterSpec(TAG * Byte.SIZE, frame, StoredResult.HEADER + ID, NONCE));
		cipher.updateAAD(frame, 0, StoredResult.HEADER);
		cipher.updateAAD(key.digest());
		return cipher;
	}

	/**
	 * A secret key and its id. Not a Java record, because its {@code toString} would
	 * reveal the secret.
	 */
	private static final class EncryptionKey {

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

}
