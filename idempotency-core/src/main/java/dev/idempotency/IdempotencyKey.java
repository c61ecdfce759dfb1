package dev.idempotency;

import java.util.HexFormat;
import java.util.Objects;

import dev.idempotency.digest.Parts;
import org.jspecify.annotations.Nullable;

/**
 * Identifies an operation: the client's key inside its scope.
 */
public final class IdempotencyKey {

	/**
	 * The longest value, in characters.
	 */
	public static final int MAX_LENGTH = 16 * 1024;

	private static final int HASH_BYTES_SHOWN = 6;

	private static final int START_BYTES = 3;

	/**
	 * Fewer than stores keep of a value as a readable column.
	 */
	private static final int START_CHARACTERS = 200;

	private final IdempotencyScope scope;

	private final String value;

	/**
	 * Computed on first use: the store and the log need it several times.
	 */
	private volatile byte @Nullable [] digest;

	/**
	 * Computed on first use; zero until then.
	 */
	private int hashCode;

	/**
	 * Create a key.
	 * @param scope what the key belongs to
	 * @param value the key as the client or the application gave it
	 */
	public IdempotencyKey(IdempotencyScope scope, String value) {
		Objects.requireNonNull(scope, "scope must not be null");
		KeyText.requireNotBlank("key", value, MAX_LENGTH);
		this.scope = scope;
		this.value = value;
	}

	/**
	 * A key of an operation, without a caller or a tenant.
	 * @param operation what the key protects
	 * @param value the key
	 */
	public static IdempotencyKey of(String operation, String value) {
		return new IdempotencyKey(IdempotencyScope.of(operation), value);
	}

	/**
	 * What the key belongs to.
	 */
	public IdempotencyScope scope() {
		return this.scope;
	}

	/**
	 * The key as the client or the application gave it.
	 */
	public String value() {
		return this.value;
	}

	/**
	 * This key inside an application's namespace; a key that has a namespace keeps it.
	 */
	public IdempotencyKey within(String namespace) {
		return this.scope.hasNamespace() ? this : new IdempotencyKey(this.scope.within(namespace), this.value);
	}

	/**
	 * The digest of this key: SHA-256 over its parts, each with its length before it, so
	 * that no two lists of parts have the same digest. Its first bytes are the
	 * {@linkplain #digestStart start} that all keys of the same value share, so that
	 * stores which sort or match digests find a value in any scope.
	 * @return 32 bytes
	 */
	public byte[] digest() {
		return knownDigest().clone();
	}

	private byte[] knownDigest() {
		byte[] known = this.digest;
		if (known == null) {
			known = computeDigest();
			this.digest = known;
		}
		return known;
	}

	private byte[] computeDigest() {
		byte[] digest = new Parts(lengthOfParts()).add(this.scope.namespace())
			.add(this.scope.operation())
			.add(this.scope.principal())
			.add(this.scope.tenant())
			.add(this.value)
			.digest();
		writeStart(this.value, digest);
		return digest;
	}

	private int lengthOfParts() {
		return Parts.length(this.scope.namespace()) + Parts.length(this.scope.operation())
				+ Parts.length(this.scope.principal()) + Parts.length(this.scope.tenant()) + Parts.length(this.value);
	}

	/**
	 * The first bytes of the digest of each key that has this value, or a longer one that
	 * a store has shortened to this readable value.
	 * @return 3 bytes
	 */
	public static byte[] digestStart(String value) {
		byte[] start = new byte[START_BYTES];
		writeStart(value, start);
		return start;
	}

	/**
	 * Writes a hash of a value, which only narrows a search: collisions do no harm.
	 */
	private static void writeStart(String value, byte[] digest) {
		int hash = 0;
		for (int i = 0; i < Math.min(value.length(), START_CHARACTERS); i++) {
			char character = value.charAt(i);
			// As stores write it
			hash = 31 * hash + ((character != 0) ? character : '\ufffd');
		}
		// Mix the bits, since only three bytes are used
		hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
		hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
		for (int i = 0; i < START_BYTES; i++) {
			digest[i] = (byte) (hash >>> (Byte.SIZE * (i + 1)));
		}
	}

	/**
	 * The start of the key's {@link #digest() digest}, for logs and traces: enough to
	 * find a key, without anything the client sent.
	 * @return 12 hexadecimal digits
	 */
	public String hash() {
		return HexFormat.of().formatHex(knownDigest(), 0, HASH_BYTES_SHOWN);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof IdempotencyKey that && this.value.equals(that.value) && this.scope.equals(that.scope);
	}

	/**
	 * Differs in each process, so that no client can choose keys that collide.
	 */
	@Override
	public int hashCode() {
		int known = this.hashCode;
		if (known == 0) {
			SeededHash seeded = SeededHash.ofThisProcess();
			known = seeded.finish(seeded.add(this.scope.addTo(seeded), this.value));
			this.hashCode = known;
		}
		return known;
	}

	/**
	 * The operation and the key's hash, without anything the client sent.
	 */
	@Override
	public String toString() {
		return this.scope + " #" + hash();
	}

}
