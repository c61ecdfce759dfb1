package dev.idempotency;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;

import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * Makes keys. An agent or a service in another language that follows the same definitions
 * makes the same keys.
 */
public final class IdempotencyKeys {

	private static final String PREFIX = "ik_";

	private static final int BYTES_KEPT = 16;

	private IdempotencyKeys() {
	}

	/**
	 * A key of some content: {@code ik_} and the first 16 bytes of its SHA-256 in
	 * hexadecimal.
	 * @param content the content, taken as UTF-8
	 */
	public static String sha256(String content) {
		return sha256(utf8("content", content));
	}

	/**
	 * A key of some content: {@code ik_} and the first 16 bytes of its SHA-256 in
	 * hexadecimal.
	 */
	public static String sha256(byte[] content) {
		return PREFIX + HexFormat.of().formatHex(Sha256.digest(content), 0, BYTES_KEPT);
	}

	/**
	 * A key of some content inside a scope: as {@link #sha256(byte[])}, over the scope
	 * and then, for each part, a NUL and the part.
	 * @param scope the scope, such as a tenant
	 * @param parts the content, taken as UTF-8
	 */
	public static String scoped(String scope, String... parts) {
		byte[][] bytes = new byte[parts.length][];
		for (int i = 0; i < parts.length; i++) {
			bytes[i] = utf8("part", parts[i]);
		}
		return scoped(scope, bytes);
	}

	/**
	 * A key of some content inside a scope: as {@link #sha256(byte[])}, over the scope
	 * and then, for each part, a NUL and the part. A part that contains a NUL counts as
	 * two, as the definition requires.
	 * @param scope the scope, such as a tenant
	 * @param parts the content
	 */
	public static String scoped(String scope, byte[]... parts) {
		ByteArrayOutputStream content = new ByteArrayOutputStream();
		content.writeBytes(utf8("scope", scope));
		for (byte[] part : parts) {
			content.write(0);
			content.writeBytes(part);
		}
		return sha256(content.toByteArray());
	}

	/**
	 * A key of several parts with colons between them, such as {@code ann:order-7}. A
	 * colon or percent sign inside of a part is written as in a URL, {@code %3A} or
	 * {@code %25}, so that no other parts give the same key.
	 * @param parts the parts, at least one
	 */
	public static String join(String... parts) {
		if (parts.length == 0) {
			throw new IllegalArgumentException("A key needs at least one part");
		}
		String[] escaped = new String[parts.length];
		for (int i = 0; i < parts.length; i++) {
			KeyText.requireWellFormed("part", parts[i], Integer.MAX_VALUE);
			escaped[i] = parts[i].replace("%", "%25").replace(":", "%3A");
		}
		return String.join(":", escaped);
	}

	/**
	 * A UUID of a name inside a namespace (RFC 9562, version 5).
	 * @param name the name, taken as UTF-8
	 * @return the UUID as a text
	 */
	public static String uuid5(UUID namespace, String name) {
		return uuid5(namespace, utf8("name", name));
	}

	/**
	 * A UUID of a name inside a namespace (RFC 9562, version 5).
	 * @return the UUID as a text
	 */
	public static String uuid5(UUID namespace, byte[] name) {
		ByteBuffer content = ByteBuffer.allocate(2 * Long.BYTES + name.length)
			.putLong(namespace.getMostSignificantBits())
			.putLong(namespace.getLeastSignificantBits())
			.put(name);
		ByteBuffer digest = ByteBuffer.wrap(sha1(content.array()));
		long most = (digest.getLong() & ~0xf000L) | 0x5000L;
		long least = (digest.getLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
		return new UUID(most, least).toString();
	}

	/**
	 * A unique key: a random UUID (RFC 9562, version 4).
	 * @return the UUID as a text
	 */
	public static String random() {
		return UUID.randomUUID().toString();
	}

	/**
	 * A key of the arguments of a call: as {@link #scoped(String, String...)}, over their
	 * canonical JSON. Arguments are compared by value: the order of members and of sets,
	 * the type of a number and its trailing zeros make no difference.
	 * @param scope what is called, such as {@code charge:} and the id of a session
	 * @param arguments the arguments: strings, numbers, booleans, {@code null}, enums,
	 * UUIDs, dates and times, and maps, lists, sets and arrays of these
	 * @throws IllegalArgumentException if there is anything else among them
	 */
	public static String forArgs(String scope, Map<String, ? extends @Nullable Object> arguments) {
		return scoped(scope, CanonicalArguments.toJson(arguments));
	}

	private static byte[] utf8(String name, String text) {
		KeyText.requireWellFormed(name, text, Integer.MAX_VALUE);
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] sha1(byte[] content) {
		try {
			return MessageDigest.getInstance("SHA-1").digest(content);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
