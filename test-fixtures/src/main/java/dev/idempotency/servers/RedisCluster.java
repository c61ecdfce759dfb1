package dev.idempotency.servers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * Three masters with a third of the slots each, and replicas of the first one.
 */
public record RedisCluster(List<RedisServerProcess> masters,
		List<RedisServerProcess> replicas) implements AutoCloseable {

	private static final int SLOTS = 16384;

	/**
	 * Starts a cluster.
	 * @param options of its nodes, which overrule those that are given here
	 */
	public static RedisCluster start(int replicasOfTheFirst, String... options) {
		List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
				"--cluster-require-full-coverage", "no", "--repl-diskless-sync-delay", "0"));
		all.addAll(List.of(options));
		List<RedisServerProcess> masters = nodes(3, all);
		List<RedisServerProcess> replicas = nodes(replicasOfTheFirst, all);
		for (int i = 0; i < 3; i++) {
			masters.get(i).send("CLUSTER ADDSLOTSRANGE %d %d".formatted(i * SLOTS / 3, (i + 1) * SLOTS / 3 - 1));
		}
		RedisCluster cluster = new RedisCluster(masters, replicas);
		cluster.all().forEach((node) -> masters.get(0).send("CLUSTER MEET 127.0.0.1 %d".formatted(node.port())));
		cluster.awaitAgreement();
		String first = id(masters.get(0));
		replicas.forEach((replica) -> await(() -> replica.send("CLUSTER REPLICATE " + first).startsWith("+OK")));
		replicas.forEach((replica) -> await(() -> replica.send("INFO replication").contains("master_link_status:up")));
		return cluster;
	}

	private static List<RedisServerProcess> nodes(int count, List<String> options) {
		return Stream.generate(() -> RedisServerProcess.start(options.toArray(String[]::new))).limit(count).toList();
	}

	/**
	 * Waits until each node takes each other one for well.
	 */
	public void awaitAgreement() {
		int nodes = all().size();
		all().forEach((node) -> await(() -> {
			String info = node.send("CLUSTER INFO");
			return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + nodes)
					&& info.contains("cluster_slots_ok:" + SLOTS);
		}));
	}

	private static String id(RedisServerProcess node) {
		return node.send("CLUSTER MYID").lines().skip(1).findFirst().orElseThrow();
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().pollInterval(Duration.ofMillis(20)).atMost(Duration.ofSeconds(30)).until(condition);
	}

	private List<RedisServerProcess> all() {
		return Stream.concat(this.masters.stream(), this.replicas.stream()).toList();
	}

	public List<String> addresses() {
		return all().stream().map((node) -> "127.0.0.1:" + node.port()).toList();
	}

	@Override
	public void close() {
		all().forEach(RedisServerProcess::close);
	}

}
