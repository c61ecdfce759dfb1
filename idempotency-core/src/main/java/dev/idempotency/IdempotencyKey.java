package dev.idempotency;

import java.util.HexFormat;
import java.util.Objects;

import dev.idempotency.digest.Parts;
import org.jspecify.annotations.Nullable;

/**
 * What one operation is remembered under: the client's key inside its scope.
 */
public final class IdempotencyKey {

	/**
	 * The longest value, in characters.
	 */
	public static final int MAX_LENGTH = 16 * 1024;

	private static final int HASH_BYTES_SHOWN = 6;

	private static final int START_BYTES = 3;

	/**
	 * Fewer than stores keep of a value for people to read.
	 */
	private static final int START_CHARACTERS = 200;

	private final IdempotencyScope scope;

	private final String value;

	/**
	 * Worked out when it is first asked for: a store wants it for each of its verbs, and
	 * the log too.
	 */
	private volatile byte @Nullable [] digest;

	/**
	 * Worked out when it is first asked for; zero until then.
	 */
	private int hashCode;

	/**
	 * Create a key.
	 * @param scope whose key it is and what for
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
	 * @return the key
	 */
	public static IdempotencyKey of(String operation, String value) {
		return new IdempotencyKey(IdempotencyScope.of(operation), value);
	}

	/**
	 * Whose key it is and what for.
	 * @return the scope
	 */
	public IdempotencyScope scope() {
		return this.scope;
	}

	/**
	 * The key as the client or the application gave it.
	 * @return the value
	 */
	public String value() {
		return this.value;
	}

	/**
	 * This key inside an application's namespace; a key that has a namespace keeps it.
	 * @param namespace the namespace
	 * @return the key
	 */
	public IdempotencyKey within(String namespace) {
		return this.scope.hasNamespace() ? this : new IdempotencyKey(this.scope.within(namespace), this.value);
	}

	/**
	 * A name of fixed size for this key: SHA-256 over its parts, each with its length
	 * before it, so that different keys have different names however their parts are cut.
	 * Its first bytes are the {@linkplain #digestStart start} that all keys of the same
	 * value have, so that stores which sort or match names find a value whatever its
	 * scope.
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
	 * What the digest of each key begins with that has this value, or a longer one of
	 * which this is what a store has kept for people to read.
	 * @param value the value
	 * @return 3 bytes
	 */
	public static byte[] digestStart(String value) {
		byte[] start = new byte[START_BYTES];
		writeStart(value, start);
		return start;
	}

	/**
	 * Writes a hash of a value, which tells where to look for it and nothing else: that
	 * some share one does no harm.
	 */
	private static void writeStart(String value, byte[] digest) {
		int hash = 0;
		for (int i = 0; i < Math.min(value.length(), START_CHARACTERS); i++) {
			char character = value.charAt(i);
			// As stores keep it
			hash = 31 * hash + ((character != 0) ? character : '\ufffd');
		}
		// Spread over all bits, of which three bytes are taken
		hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
		hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
		for (int i = 0; i < START_BYTES; i++) {
			digest[i] = (byte) (hash >>> (Byte.SIZE * (i + 1)));
		}
	}

	/**
	 * The start of the key's {@link #digest() digest}, for logs and traces: enough to
	 * find a key by, and nothing the client sent.
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
	 * Another one in each process, so that no client can choose keys that share one.
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
	 * Names the operation and the key's hash: what the client sent stays out of logs.
	 */
	@Override
	public String toString() {
		return this.scope + " #" + hash();
	}

}
