package dev.idempotency.store.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.idempotency.servers.RedisServerProcess;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * The whole contract as a user who may do what the guide says and nothing else.
 */
@Tag("slow")
class RedisModestUserTests extends RedisContract<LettuceConnectionFactory> {

	@AutoClose
	private static final RedisServerProcess server = RedisServerProcess.start();

	RedisModestUserTests() {
		super(RedisModestUserTests::modest);
	}

	private static LettuceConnectionFactory modest() {
		String prefix = "idempotency-%s:*".formatted(RedisModestUserTests.class.getSimpleName());
		assertThat(server.send("ACL SETUSER modest reset on >secret resetkeys resetchannels -@all ~%s &%s %s"
			.formatted(prefix, prefix, ServerCheck.COMMANDS))).startsWith("+OK");
		RedisStandaloneConfiguration configuration = RedisServers.standalone(server);
		configuration.setUsername("modest");
		configuration.setPassword("secret");
		return RedisServers.lettuce(configuration);
	}

	@ParameterizedTest
	@ValueSource(strings = { "FLUSHALL", "FLUSHDB", "KEYS *", "RANDOMKEY", "SWAPDB 0 1", "CONFIG GET *",
			"SHUTDOWN NOSAVE", "ACL WHOAMI", "SCRIPT FLUSH", "MONITOR", "RENAME a b", "GET of-another",
			"SET of-another 1", "DEL of-another", "PUBLISH of-another 1" })
	void mayDoNothingElse(String command) {
		String[] words = command.split(" ", -1);
		byte[][] arguments = new byte[words.length - 1][];
		for (int i = 1; i < words.length; i++) {
			arguments[i - 1] = words[i].getBytes(StandardCharsets.US_ASCII);
		}
		try (RedisConnection connection = connectionFactory().getConnection()) {
			assertThatException().isThrownBy(() -> connection.execute(words[0], arguments))
				.withStackTraceContaining("NOPERM");
		}
	}

	@Test
	void mayDoWhatTheGuideSays() throws IOException {
		Path guide = Path.of("..", "docs", "stores.md");
		assertThat(Files.readString(guide)).contains("ACL SETUSER").contains(ServerCheck.COMMANDS);
	}

}
