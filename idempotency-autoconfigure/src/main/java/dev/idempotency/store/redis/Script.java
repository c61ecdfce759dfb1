package dev.idempotency.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The scripts, each a file beside this class, after those that it builds upon.
 */
enum Script {

	CLAIM("replay", "record"), RENEW("record"), COMPLETE("record"), RELEASE("record"), FIND("record"), FORGET("record"),
	CHECK("record"), SCAN("record"), SEARCH("record", "texts"), COUNT("record", "texts");

	private final String source;

	private final String sha1;

	Script(String... before) {
		StringBuilder text = new StringBuilder();
		for (String part : before) {
			text.append(read(part));
		}
		this.source = text.append(read(name().toLowerCase(Locale.ROOT))).toString();
		this.sha1 = sha1(source());
	}

	private static String read(String name) {
		try (InputStream stream = Script.class.getResourceAsStream(name + ".lua")) {
			if (stream == null) {
				throw new IllegalStateException("The script %s.lua is missing".formatted(name));
			}
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String sha1(byte[] source) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	byte[] source() {
		return Names.utf8(this.source);
	}

	/**
	 * What the server knows the script by.
	 */
	String sha1() {
		return this.sha1;
	}

}
