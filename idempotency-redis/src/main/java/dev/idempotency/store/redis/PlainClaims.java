package dev.idempotency.store.redis;

import java.time.Clock;
import java.time.Duration;
import java.util.List;

import dev.idempotency.store.MonotonicClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStringCommands.SetOption;
import org.springframework.data.redis.core.types.Expiration;

/**
 * Takes a key with one plain command, which costs a server less than half of what a
 * script does: {@code SET … NX GET} sets it, or brings what is there. Redis knows that
 * since 7.0. A server that does not says so, and is asked with the script for a while:
 * another one may take its place at any time.
 */
final class PlainClaims {

	private static final Logger logger = LoggerFactory.getLogger(PlainClaims.class);

	private static final Duration PAUSE = Duration.ofMinutes(1);

	private static final String NOT_KNOWN = "ERR ";

	/**
	 * With these a server refuses to write. A script may still read a result.
	 */
	private static final List<String> NO_WRITES = List.of("OOM ", "READONLY ", "NOREPLICAS ", "MISCONF ");

	private final RedisConnectionFactory connectionFactory;

	private final Clock clock = new MonotonicClock();

	private volatile boolean known = true;

	private volatile long asksAgain;

	PlainClaims(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/**
	 * Whether the server is to be asked in this way.
	 */
	boolean areKnown() {
		if (!this.known && this.asksAgain <= this.clock.millis()) {
			this.known = true;
		}
		return this.known;
	}

	/**
	 * Takes a key.
	 * @param name the name of the record
	 * @param record the record of a first attempt
	 * @param millis for how long the server keeps it
	 * @return what is there; nothing if the key was taken
	 */
	byte @Nullable [] take(byte[] name, byte[] record, long millis) {
		// Never the connection of a surrounding transaction, which would queue it
		RedisConnection connection = this.connectionFactory.getConnection();
		try {
			return take(connection, name, record, millis);
		}
		finally {
			connection.close();
		}
	}

	private static byte @Nullable [] take(RedisConnection connection, byte[] name, byte[] record, long millis) {
		return connection.stringCommands().setGet(name, record, Expiration.milliseconds(millis), SetOption.ifAbsent());
	}

	/**
	 * Makes sure that a failure is one that the script may do better with.
	 * @throws RuntimeException the failure, if it is not
	 */
	void requireRefusal(RuntimeException failure) {
		String error = ServerError.of(failure);
		if (error.startsWith(NOT_KNOWN)) {
			logger.debug("Redis knows no SET with NX and GET: claims are made by a script", failure);
			doWithout();
		}
		else if (NO_WRITES.stream().noneMatch(error::startsWith)) {
			throw failure;
		}
	}

	/**
	 * Has claims made by a script for a while.
	 */
	void doWithout() {
		this.asksAgain = this.clock.millis() + PAUSE.toMillis();
		this.known = false;
	}

	/**
	 * Finds out whether the server knows the command.
	 * @param name a record that is no key's
	 */
	void check(RedisConnection connection, byte[] name) {
		try {
			take(connection, name, new byte[] { 0 }, 1);
		}
		catch (RuntimeException ex) {
			requireRefusal(ex);
		}
	}

}
