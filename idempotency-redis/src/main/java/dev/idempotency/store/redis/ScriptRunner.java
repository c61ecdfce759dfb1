package dev.idempotency.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Runs scripts, in one round trip each. A server that does not know a script yet takes a
 * second one.
 */
final class ScriptRunner {

	private final RedisConnectionFactory connectionFactory;

	ScriptRunner(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	boolean test(Script script, byte[]... keyAndArguments) {
		return Long.valueOf(1).equals(run(script, ReturnType.INTEGER, keyAndArguments));
	}

	/**
	 * Returns the reply about one record; {@code null} if there is none.
	 */
	byte @Nullable [] read(Script script, byte[]... keyAndArguments) {
		return (byte[]) run(script, ReturnType.VALUE, keyAndArguments);
	}

	List<@Nullable Object> ask(Script script, byte[]... keyAndArguments) {
		return toList(run(script, ReturnType.MULTI, keyAndArguments));
	}

	/**
	 * Runs a script for several records at once, all of one server.
	 */
	List<@Nullable Object> ask(Script script, List<byte[]> keys, byte[]... arguments) {
		byte[][] all = Stream.concat(keys.stream(), Stream.of(arguments)).toArray(byte[][]::new);
		return toList(run(script, ReturnType.MULTI, keys.size(), all));
	}

	private @Nullable Object run(Script script, ReturnType type, byte[]... keyAndArguments) {
		return run(script, type, 1, keyAndArguments);
	}

	private @Nullable Object run(Script script, ReturnType type, int keys, byte[]... keysAndArguments) {
		return Reply.to(() -> {
			// Never the connection of a surrounding transaction, which would queue the
			// script
			RedisConnection connection = this.connectionFactory.getConnection();
			try {
				return run(connection, script, type, keys, keysAndArguments);
			}
			finally {
				connection.close();
			}
		});
	}

	static boolean test(RedisConnection connection, Script script, byte[]... keyAndArguments) {
		return Long.valueOf(1).equals(run(connection, script, ReturnType.INTEGER, 1, keyAndArguments));
	}

	static byte @Nullable [] read(RedisConnection connection, Script script, byte[]... keyAndArguments) {
		return (byte[]) run(connection, script, ReturnType.VALUE, 1, keyAndArguments);
	}

	private static @Nullable Object run(RedisConnection connection, Script script, ReturnType type, int keys,
			byte[]... keysAndArguments) {
		try {
			return connection.scriptingCommands().evalSha(script.sha1(), type, keys, keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (!ServerError.of(ex).startsWith("NOSCRIPT")) {
				throw ex;
			}
			return connection.scriptingCommands().eval(script.source(), type, keys, keysAndArguments);
		}
	}

	private static List<@Nullable Object> toList(@Nullable Object answer) {
		return (answer instanceof List<?> values) ? new ArrayList<>(values) : List.of();
	}

}
