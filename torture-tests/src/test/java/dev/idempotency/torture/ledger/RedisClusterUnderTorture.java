package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.servers.RedisCluster;
import dev.idempotency.servers.RedisServerProcess;

/**
 * A Redis cluster of three masters: each write is on disk before it is answered.
 */
final class RedisClusterUnderTorture implements TorturedStore {

	/**
	 * Nobody is taken for dead who is slow, or is back soon: two at a time would end the
	 * whole cluster.
	 */
	private final RedisCluster cluster = RedisCluster.start(0, "--appendonly", "yes", "--appendfsync", "always",
			"--cluster-node-timeout", "10000");

	@Override
	public Set<Fault.Kind> faults() {
		return Set.of(Fault.Kind.RESTART_STORE, Fault.Kind.PAUSE_STORE, Fault.Kind.CUT_STORE, Fault.Kind.STALL_STORE,
				Fault.Kind.SLOW_STORE);
	}

	@Override
	public List<Integer> ports() {
		return this.cluster.masters().stream().map(RedisServerProcess::port).toList();
	}

	@Override
	public List<String> settings(List<Integer> ports) {
		List<Integer> nodes = ports();
		List<String> settings = new ArrayList<>(List.of(
				nodes.stream()
					.map((port) -> "127.0.0.1:" + port)
					.collect(Collectors.joining(",", "--spring.data.redis.cluster.nodes=", "")),
				"--spring.data.redis.timeout=1s", "--spring.data.redis.connect-timeout=1s", "--idempotency.store=redis",
				"--spring.datasource.url=jdbc:h2:mem:unused"));
		// Nodes tell clients where the others are, and do not know the ways to them
		for (int i = 0; i < nodes.size(); i++) {
			settings.add("--%s.%d=%d".formatted(LedgerApplication.LINKS, nodes.get(i), ports.get(i)));
		}
		return settings;
	}

	@Override
	public void restart(int place) {
		this.cluster.masters().get(place).kill();
		this.cluster.masters().get(place).restart();
		this.cluster.awaitAgreement();
	}

	@Override
	public void pause(int place, Duration duration) {
		this.cluster.masters().get(place).pause();
		Injector.pause(duration);
		this.cluster.masters().get(place).resume();
		this.cluster.awaitAgreement();
	}

	@Override
	public Set<KeyOfCaller> completed(int place) {
		return RedisUnderTorture.completedAt(this.cluster.masters().get(place));
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
