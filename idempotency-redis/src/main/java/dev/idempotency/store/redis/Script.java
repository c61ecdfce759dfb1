package dev.idempotency.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The scripts, made of the files beside this class.
 */
enum Script {

	CLAIM("claim", "record", "contend"), RENEW("record", "renew"), COMPLETE("complete"), RELEASE("record", "release"),
	FIND("record", "find"), FORGET("record", "forget"), CHECK("record", "check"), SCAN("record", "scan"),
	SEARCH("record", "texts", "search"), COUNT("record", "texts", "count");

	private final String source;

	private final String sha1;

	Script(String... files) {
		this.source = Stream.of(files).map(Script::read).collect(Collectors.joining());
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
