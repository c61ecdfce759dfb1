package dev.idempotency.store.redis;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.idempotency.store.Claim;
import dev.idempotency.store.MonotonicClock;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;

/**
 * Renews leases: one, and then all others in one round trip, because the server knows the
 * script by then. In a cluster, the records are those of one node. Jedis cannot send many
 * commands at once to a cluster.
 */
final class Renewals {

	private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(1);

	private final RedisConnectionFactory connectionFactory;

	private final Names names;

	private final Clock clock = new MonotonicClock();

	/**
	 * The masters of a cluster, as they were last seen.
	 */
	private volatile List<RedisClusterNode> masters = List.of();

	Renewals(RedisConnectionFactory connectionFactory, Names names) {
		this.connectionFactory = connectionFactory;
		this.names = names;
	}

	/**
	 * The node of a cluster that has the record of a claim.
	 * @return {@code null} if there is no cluster, or it is not known yet
	 */
	@Nullable Object place(Claim claim) {
		List<RedisClusterNode> known = this.masters;
		int slot = known.isEmpty() ? 0 : ClusterSlotHashUtil.calculateSlot(this.names.record(claim.key()));
		for (RedisClusterNode node : known) {
			if (node.servesSlot(slot)) {
				return node.asString();
			}
		}
		return null;
	}

	/**
	 * Finds out which nodes a cluster has. This may block, because a driver asks any of
	 * them.
	 */
	void readNodes(RedisConnection connection) {
		if (connection instanceof RedisClusterConnection cluster) {
			List<RedisClusterNode> found = new ArrayList<>();
			for (RedisClusterNode node : cluster.clusterGetNodes()) {
				if (node.isMaster() && !node.getSlotRange().getSlots().isEmpty()) {
					found.add(node);
				}
			}
			this.masters = found;
		}
	}

	/**
	 * Renews leases.
	 * @return the claims that are lost
	 */
	Set<Claim> renew(List<Claim> claims, Duration lease) {
		byte[] millis = Names.utf8(Long.toString(lease.toMillis()));
		RedisConnection connection = this.connectionFactory.getConnection();
		try {
			if (this.masters.isEmpty()) {
				readNodes(connection);
			}
			Set<Claim> lost = new HashSet<>();
			List<Claim> others = claims.subList(1, claims.size());
			if (connection instanceof LettuceConnection lettuce) {
				// Long before the lease expires, whatever the timeout of commands is
				WithLettuce renewals = new WithLettuce(lettuce, this.clock, patience(lease));
				addLost(claims.subList(0, 1), List.of(renewals.first(arguments(claims.get(0), millis))), lost);
				addLost(others, renewals.others(others.stream().map((claim) -> arguments(claim, millis)).toList()),
						lost);
			}
			else {
				addLost(claims.subList(0, 1), List.of(renew(connection, arguments(claims.get(0), millis))), lost);
				addLost(others, renewOthers(connection, others, millis), lost);
			}
			return lost;
		}
		catch (RuntimeException ex) {
			readNodesAfter(ex, connection);
			throw ex;
		}
		finally {
			connection.close();
		}
	}

	/**
	 * Records may have moved to other nodes. Only the renewals of this one wait.
	 */
	private void readNodesAfter(RuntimeException failure, RedisConnection connection) {
		try {
			readNodes(connection);
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

	private static void addLost(List<Claim> claims, List<?> replies, Set<Claim> lost) {
		for (int i = 0; i < claims.size(); i++) {
			if (!Long.valueOf(1).equals(replies.get(i))) {
				lost.add(claims.get(i));
			}
		}
	}

	private static Duration patience(Duration lease) {
		Duration quarter = lease.dividedBy(4);
		return (quarter.compareTo(SHORTEST_PATIENCE) > 0) ? quarter : SHORTEST_PATIENCE;
	}

	private byte[][] arguments(Claim claim, byte[] millis) {
		return new byte[][] { this.names.record(claim.key()), RecordPacking.owner(claim.owner()), millis };
	}

	private static Object renew(RedisConnection connection, byte[][] arguments) {
		return ScriptRunner.test(connection, Script.RENEW, arguments) ? 1L : 0L;
	}

	private List<?> renewOthers(RedisConnection connection, List<Claim> claims, byte[] millis) {
		if (connection instanceof RedisClusterConnection || claims.isEmpty()) {
			return claims.stream().map((claim) -> renew(connection, arguments(claim, millis))).toList();
		}
		connection.openPipeline();
		for (Claim claim : claims) {
			connection.scriptingCommands()
				.evalSha(Script.RENEW.sha1(), ReturnType.INTEGER, 1, arguments(claim, millis));
		}
		return connection.closePipeline();
	}

	/**
	 * Sends commands without waiting for the reply of each, to one node or to many. A
	 * class of its own, because Lettuce may be missing.
	 */
	private static final class WithLettuce {

		private final RedisScriptingAsyncCommands<byte[], byte[]> commands;

		private final Clock clock;

		private final long end;

		private WithLettuce(LettuceConnection connection, Clock clock, Duration patience) {
			this.commands = connection.getNativeConnection();
			this.clock = clock;
			this.end = clock.millis() + patience.toMillis();
		}

		private Long first(byte[][] arguments) {
			try {
				return await(send(arguments));
			}
			catch (RedisSystemException ex) {
				if (!(ex.getCause() instanceof RedisNoScriptException)) {
					throw ex;
				}
				return await(this.commands.eval(Script.RENEW.source(), ScriptOutputType.INTEGER,
						new byte[][] { arguments[0] }, arguments[1], arguments[2]));
			}
		}

		private List<Long> others(List<byte[][]> arguments) {
			List<RedisFuture<Long>> sent = new ArrayList<>();
			arguments.forEach((each) -> sent.add(send(each)));
			try {
				return sent.stream().map(this::await).toList();
			}
			finally {
				// Those that nobody waits for any more
				sent.forEach((future) -> future.cancel(true));
			}
		}

		private RedisFuture<Long> send(byte[][] arguments) {
			return this.commands.evalsha(Script.RENEW.sha1(), ScriptOutputType.INTEGER, new byte[][] { arguments[0] },
					arguments[1], arguments[2]);
		}

		private Long await(RedisFuture<Long> future) {
			try {
				return future.get(this.end - this.clock.millis(), TimeUnit.MILLISECONDS);
			}
			catch (ExecutionException ex) {
				throw new RedisSystemException("Failed to renew a lease", ex.getCause());
			}
			catch (TimeoutException ex) {
				future.cancel(true);
				throw new QueryTimeoutException("The server did not renew a lease in time", ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new QueryTimeoutException("Interrupted while a lease was renewed", ex);
			}
		}

	}

}
