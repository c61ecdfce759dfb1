package dev.idempotency.store.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DigestUtils;

/**
 * The Lua scripts, each made of some of the files next to this class.
 */
enum Script {

	CLAIM("claim", "record", "texts", "contend"), RENEW("record", "renew"), COMPLETE("complete", "record", "settle"),
	RELEASE("record", "release"), AWAIT("record", "await"), FIND("record", "find"), FORGET("record", "forget"),
	CHECK("record", "check"), SCAN("scan"), SEARCH("record", "texts", "glance", "search"),
	COUNT("record", "texts", "glance", "count");

	private final String source;

	private final String sha1;

	Script(String... files) {
		this.source = Stream.of(files).map(Script::read).collect(Collectors.joining());
		this.sha1 = DigestUtils.sha1DigestAsHex(this.source);
	}

	private static String read(String name) {
		try {
			return new ClassPathResource(name + ".lua", Script.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	byte[] source() {
		return Names.utf8(this.source);
	}

	/**
	 * The digest that identifies the script on the server.
	 */
	String sha1() {
		return this.sha1;
	}

}
