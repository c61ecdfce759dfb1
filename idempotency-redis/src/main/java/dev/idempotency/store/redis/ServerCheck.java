package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.Properties;

import dev.idempotency.IdempotencyConfigurationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Checks at startup that the server meets the needs of the store. It runs what the
 * scripts run instead of reading a version, which says little about a managed or
 * compatible server.
 */
final class ServerCheck {

	private static final Logger logger = LoggerFactory.getLogger(ServerCheck.class);

	/**
	 * The commands that the user must be allowed to run. Whole categories would allow it
	 * to empty the server: {@code FLUSHALL} is in {@code @write}.
	 */
	static final String COMMANDS = "+eval +evalsha +get +getrange +set +setrange +del +pttl +pexpireat +pexpiretime "
			+ "+time +scan +dbsize +publish +subscribe +unsubscribe +wait +ping +hello +info";

	private static final String POLICY = "maxmemory_policy";

	private final RedisConnectionFactory connectionFactory;

	private final Names names;

	private final PlainClaims plainClaims;

	private final Renewals renewals;

	private final @Nullable Replicas replicas;

	ServerCheck(RedisConnectionFactory connectionFactory, Names names, PlainClaims plainClaims, Renewals renewals,
			@Nullable Replicas replicas) {
		this.connectionFactory = connectionFactory;
		this.names = names;
		this.plainClaims = plainClaims;
		this.renewals = renewals;
		this.replicas = replicas;
	}

	void run(Duration lease) {
		checkTimeout(lease);
		try {
			RedisConnection connection = this.connectionFactory.getConnection();
			try {
				this.renewals.readNodes(connection);
				this.plainClaims.check(connection, this.names.check());
				checkScripts(connection);
				if (this.replicas != null) {
					this.replicas.check(connection);
				}
				checkEviction(connection);
			}
			finally {
				connection.close();
			}
		}
		catch (IdempotencyConfigurationException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			String error = ServerError.of(ex);
			if (isRefusal(error)) {
				throw new IdempotencyConfigurationException("Redis refuses what the idempotency store needs: " + error,
						"Use Redis 6.2 or later (or Valkey), and allow its user: ~%s* &%s* %s"
							.formatted(this.names.prefix(), this.names.prefix(), COMMANDS));
			}
			logger.warn("The idempotency store cannot use Redis yet, and fails until it can: {}", error);
			logger.debug("The failure in full", ex);
		}
	}

	/**
	 * Whether the server refuses for good. Any other error, such as that of a server that
	 * is still loading its data, may pass.
	 */
	private static boolean isRefusal(String error) {
		return error.startsWith("NOPERM") || error.startsWith("ERR ");
	}

	private void checkScripts(RedisConnection connection) {
		byte[][] arguments = { this.names.check(), this.names.channel() };
		connection.scriptingCommands().eval(Script.CHECK.source(), ReturnType.INTEGER, 1, arguments);
		Long published = connection.scriptingCommands().evalSha(Script.CHECK.sha1(), ReturnType.INTEGER, 1, arguments);
		if (published == null || published == 0) {
			logger.warn(
					"Redis does not let the idempotency store publish. An attempt that waits for another one "
							+ "notices its end up to half a second late. Allow its user: +publish &{}*",
					this.names.prefix());
		}
	}

	private void checkTimeout(Duration lease) {
		if (!(this.connectionFactory instanceof LettuceConnectionFactory lettuce)) {
			return;
		}
		Duration timeout = lettuce.getClientConfiguration().getCommandTimeout();
		if (timeout.compareTo(lease.dividedBy(2)) > 0) {
			logger.warn("A command to Redis may take {}, which is more than half of the shortest lease ({}). Leases "
					+ "may not be renewed in time, and requests hang while Redis does. "
					+ "Set a shorter timeout of commands, for example 2s.", timeout, lease);
		}
	}

	private static void checkEviction(RedisConnection connection) {
		Properties memory = memory(connection);
		for (String name : memory.stringPropertyNames()) {
			// In a cluster each name begins with that of its node
			if (!name.endsWith(POLICY)) {
				continue;
			}
			String limit = memory.getProperty(name.substring(0, name.length() - POLICY.length()) + "maxmemory", "0");
			String policy = memory.getProperty(name);
			if (!limit.equals("0") && !policy.equals("noeviction")) {
				logger.warn("Redis evicts records when its memory is full (maxmemory-policy is {}). A retry after that "
						+ "runs the operation again. Set maxmemory-policy to noeviction.", policy);
				return;
			}
		}
	}

	private static Properties memory(RedisConnection connection) {
		try {
			Properties memory = connection.serverCommands().info("memory");
			return (memory != null) ? memory : new Properties();
		}
		catch (RuntimeException ex) {
			// Managed servers forbid it, and no other command tells
			logger.debug("Failed to read the eviction policy of Redis", ex);
			return new Properties();
		}
	}

}
