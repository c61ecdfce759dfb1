package dev.idempotency.core;

import java.util.List;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * How results are stored: compressed, encrypted, both, or as they are.
 * <p>
 * The settings apply to new results. Older results stay readable, plain ones included, as
 * long as their encryption key is known. A result that is neither compressed nor
 * encrypted is written as the first release wrote it, and a tombstone has nothing to
 * pack.
 */
public final class ResultPacking {

	private static final ResultPacking NONE = new ResultPacking(Integer.MAX_VALUE, ResultCipher.none());

	private final int compressFrom;

	private final ResultCipher cipher;

	private ResultPacking(int compressFrom, ResultCipher cipher) {
		this.compressFrom = compressFrom;
		this.cipher = cipher;
	}

	/**
	 * Results are stored as they are.
	 * @return how results are stored
	 */
	public static ResultPacking none() {
		return NONE;
	}

	/**
	 * Compresses results from a size on, if that makes them smaller, and large ones if
	 * that makes them much smaller.
	 * @param threshold the size in bytes
	 * @return how results are stored
	 */
	public ResultPacking withCompression(long threshold) {
		if (threshold < 0 || threshold > StoredResult.MAX_SIZE) {
			throw new IdempotencyConfigurationException(
					"idempotency.compression.threshold must be between 0B and %dMB, but is %dB"
						.formatted(StoredResult.MAX_SIZE >> 20, threshold),
					"Write a size such as 1KB.");
		}
		return new ResultPacking((int) threshold, this.cipher);
	}

	/**
	 * Encrypts results with AES-GCM. A result can be decrypted only for the idempotency
	 * key that it was stored for.
	 * @param key the key for new results, 16, 24 or 32 bytes in Base64; {@code null} or
	 * blank: new results are not encrypted
	 * @param previousKeys further keys with which older results were encrypted
	 * @return how results are stored
	 */
	public ResultPacking withEncryption(@Nullable String key, List<String> previousKeys) {
		return new ResultPacking(this.compressFrom, ResultCipher.of(key, previousKeys));
	}

	/**
	 * Packs a plain result for the store, without a copy if it stays plain.
	 * @throws dev.idempotency.ResultTooLargeException if it is too large for any store
	 */
	StoredResult pack(IdempotencyKey key, StoredResult plain) {
		if (plain.isPacked()) {
			throw new IllegalStateException("The result is compressed or encrypted already: " + plain);
		}
		plain.requireStorable();
		boolean compressing = plain.size() - StoredResult.HEADER >= this.compressFrom;
		boolean encrypting = this.cipher.isEncrypting();
		if (!compressing && !encrypting) {
			return plain;
		}
		byte[] compressed = compressing ? Deflation.compress(plain.toFrame()) : null;
		byte flags = (compressed != null) ? StoredResult.COMPRESSED : 0;
		if (encrypting) {
			return StoredResult.fromFrame(this.cipher.seal(key, (byte) (flags | StoredResult.ENCRYPTED),
					(compressed != null) ? compressed : plain.toFrame()));
		}
		if (compressed == null) {
			return plain;
		}
		compressed[0] = StoredResult.PACKED_FORMAT;
		compressed[1] = flags;
		return StoredResult.fromFrame(compressed);
	}

	/**
	 * Unpacks a stored result.
	 * @throws UnreadableResultException if it was encrypted with an unknown key, or is
	 * damaged
	 * @throws dev.idempotency.UnsupportedFormatException if a newer release wrote it
	 */
	StoredResult unpack(IdempotencyKey key, StoredResult result) {
		if (!result.isPacked()) {
			return result;
		}
		byte[] frame = result.toFrame();
		byte flags = frame[1];
		boolean encrypted = (flags & StoredResult.ENCRYPTED) != 0;
		byte[] content = encrypted ? this.cipher.open(key, frame) : frame;
		if ((flags & StoredResult.COMPRESSED) == 0) {
			return StoredResult.of(content);
		}
		return StoredResult.ofPieces(Deflation.decompress(key, content, encrypted ? 0 : StoredResult.HEADER));
	}

	/**
	 * Does not reveal the keys.
	 */
	@Override
	public String toString() {
		return "ResultPacking[compressing from %d bytes, %s]".formatted(this.compressFrom,
				this.cipher.isEncrypting() ? "encrypting" : "not encrypting");
	}

}
