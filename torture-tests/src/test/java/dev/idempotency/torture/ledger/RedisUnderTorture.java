package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import dev.idempotency.RecordState;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.ScanOptions;

/**
 * A Redis that promises to lose nothing: each write is on disk before it is answered, and
 * a claim counts once the replica has it. A failover is one that Redis itself makes
 * without a loss ({@code FAILOVER}); what others lose stands in the guide to stores.
 */
final class RedisUnderTorture implements TorturedStore {

	private static final String PREFIX = "idempotency:";

	private static final String[] OPTIONS = { "--appendonly", "yes", "--appendfsync", "always",
			"--repl-diskless-sync-delay", "0", "--repl-timeout", "5" };

	private RedisServerProcess primary = RedisServerProcess.start(OPTIONS);

	private RedisServerProcess replica = RedisServerProcess.start(OPTIONS);

	RedisUnderTorture() {
		this.replica.send("REPLICAOF 127.0.0.1 " + this.primary.port());
		awaitReplica();
	}

	private void awaitReplica() {
		RedisServerProcess following = this.replica;
		await(() -> following.send("INFO replication").contains("master_link_status:up"));
		String address = "port=" + following.port() + ",state=online";
		RedisServerProcess leading = this.primary;
		await(() -> leading.send("INFO replication").contains(address));
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(20))
			.atMost(Duration.ofSeconds(30))
			.ignoreExceptions()
			.until(condition);
	}

	@Override
	public List<Integer> ports() {
		return List.of(this.primary.port());
	}

	@Override
	public List<String> settings(List<Integer> ports) {
		return List.of("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + ports.get(0),
				"--spring.data.redis.timeout=1s", "--spring.data.redis.connect-timeout=1s", "--idempotency.store=redis",
				"--idempotency.redis.wait-for-replicas=1", "--spring.datasource.url=jdbc:h2:mem:unused");
	}

	@Override
	public void restart(int place) {
		this.primary.kill();
		this.primary.restart();
		awaitReplica();
	}

	@Override
	public void failOver() {
		RedisServerProcess next = this.replica;
		this.primary.send("FAILOVER TO 127.0.0.1 " + next.port());
		await(() -> next.send("INFO replication").contains("role:master"));
		this.replica = this.primary;
		this.primary = next;
	}

	@Override
	public void recover() {
		awaitReplica();
	}

	@Override
	public Set<KeyOfCaller> completed(int place) {
		return completedAt(this.primary);
	}

	static Set<KeyOfCaller> completedAt(RedisServerProcess server) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", server.port());
		connections.afterPropertiesSet();
		connections.start();
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(connections, PREFIX, 0);
				RedisConnection connection = connections.getConnection();
				Cursor<byte[]> names = connection.keyCommands().scan(ScanOptions.NONE)) {
			return names.stream()
				.map((name) -> RecordId.ofDigest(Arrays.copyOfRange(name, PREFIX.length(), name.length)))
				.flatMap((id) -> store.find(id).stream())
				.map(Inspection::summary)
				.filter((record) -> record.state() == RecordState.COMPLETED)
				.map((record) -> new KeyOfCaller(Objects.requireNonNullElse(record.key().principal(), ""),
						record.key().key()))
				.collect(Collectors.toSet());
		}
		finally {
			connections.destroy();
		}
	}

	@Override
	public void close() {
		this.primary.close();
		this.replica.close();
	}

}
