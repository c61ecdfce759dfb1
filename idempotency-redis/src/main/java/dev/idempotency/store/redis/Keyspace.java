package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Scans the names of records in many short steps, so that it does not block the server,
 * and gives up when that takes too long.
 */
final class Keyspace {

	/**
	 * How many names a step scans when few of them are expected to match.
	 */
	private static final int LONG_STEP = 2000;

	/**
	 * How many names a step scans otherwise, and how many records a script reads at once.
	 */
	private static final int SHORT_STEP = 500;

	private static final int FEW_DIGITS = 2;

	private static final int MOST_ANCHORS = 10_000;

	private final RedisConnectionFactory connectionFactory;

	private final ScriptRunner scripts;

	private final Names names;

	private final Patience patience;

	Keyspace(RedisConnectionFactory connectionFactory, ScriptRunner scripts, Names names, Patience patience) {
		this.connectionFactory = connectionFactory;
		this.scripts = scripts;
		this.names = names;
		this.patience = patience;
	}

	/**
	 * The servers that hold records.
	 */
	List<Server> servers() {
		RedisConnection connection = this.connectionFactory.getConnection();
		try {
			if (!(connection instanceof RedisClusterConnection cluster)) {
				return List.of(new Server(0, 0));
			}
			List<Integer> anchors = anchors(cluster);
			return anchors.stream().map((anchor) -> new Server(anchor, anchors.size())).toList();
		}
		finally {
			connection.close();
		}
	}

	/**
	 * A number for each master. A script whose key is the anchor of that number runs
	 * there.
	 */
	private List<Integer> anchors(RedisClusterConnection cluster) {
		List<RedisClusterNode> masters = new ArrayList<>();
		cluster.clusterGetNodes().forEach((node) -> {
			if (node.isMaster() && !node.getSlotRange().getSlots().isEmpty()) {
				masters.add(node);
			}
		});
		List<Integer> anchors = new ArrayList<>();
		for (int i = 0; i < MOST_ANCHORS && !masters.isEmpty(); i++) {
			int slot = ClusterSlotHashUtil.calculateSlot(this.names.anchor(i));
			if (masters.removeIf((node) -> node.servesSlot(slot))) {
				anchors.add(i);
			}
		}
		return anchors;
	}

	/**
	 * Scans the names of records whose digest begins with the given digits.
	 * @param action handles a batch of names
	 * @return its progress
	 */
	Walk walk(Server server, String digits, Consumer<List<byte[]>> action) {
		byte[] pattern = this.names.pattern(digits);
		int step = (digits.length() < FEW_DIGITS) ? SHORT_STEP : LONG_STEP;
		Walk walk = new Walk();
		byte[] cursor = Names.utf8("0");
		do {
			List<@Nullable Object> answer = this.scripts.ask(Script.SCAN, this.names.anchor(server.anchor()), cursor,
					pattern, Names.utf8(String.valueOf(step)));
			walk.at(ScriptValues.number(answer.get(0)));
			walk.size = ScriptValues.number(answer.get(1));
			walk.passed += step;
			cursor = Names.utf8(ScriptValues.text(answer.get(2)));
			List<byte[]> found = new ArrayList<>();
			answer.subList(3, answer.size()).forEach((name) -> {
				if (name instanceof byte[] bytes) {
					found.add(bytes);
				}
			});
			walk.lookedAt += found.size();
			for (int from = 0; from < found.size(); from += server.batch()) {
				action.accept(found.subList(from, Math.min(found.size(), from + server.batch())));
			}
			walk.complete = cursor.length == 1 && cursor[0] == '0';
		}
		while (!walk.complete && !isLongEnough(walk, server));
		return walk;
	}

	private boolean isLongEnough(Walk walk, Server server) {
		int lookedAt = server.isInCluster() ? this.patience.lookedAtInCluster() : this.patience.lookedAt();
		long millis = this.patience.longest().toMillis() / Math.max(1, server.masters());
		return (walk.passed >= this.patience.passed() || walk.lookedAt >= lookedAt) && walk.now - walk.began >= millis;
	}

	/**
	 * The limits after which a walk ends before it has scanned all names.
	 *
	 * @param longest the time limit, by the clocks of the servers, which applies once one
	 * of the minimums is reached
	 * @param passed the minimum of scanned names
	 * @param lookedAt the minimum of records that are read
	 * @param lookedAtInCluster the same for each server of a cluster, where records are
	 * read one by one
	 */
	record Patience(Duration longest, int passed, int lookedAt, int lookedAtInCluster) {

		static Patience ofPeople() {
			return new Patience(Duration.ofMillis(500), 2_000_000, 20_000, 2_000);
		}

	}

	/**
	 * A server.
	 *
	 * @param anchor the number of an anchor on this server
	 * @param masters how many masters its cluster has; zero if it is not in a cluster
	 */
	record Server(int anchor, int masters) {

		/**
		 * A script may not read several records in a cluster, even on one server.
		 */
		private int batch() {
			return isInCluster() ? 1 : SHORT_STEP;
		}

		private boolean isInCluster() {
			return this.masters > 0;
		}

	}

	/**
	 * The progress of a scan of one server.
	 */
	static final class Walk {

		private long began;

		private long now;

		private long size;

		private long passed;

		private long lookedAt;

		private boolean complete;

		private void at(long now) {
			this.began = (this.began == 0) ? now : this.began;
			this.now = now;
		}

		/**
		 * Whether it scanned all names.
		 */
		boolean isComplete() {
			return this.complete;
		}

		/**
		 * The ratio of all names to the scanned ones.
		 */
		double factor() {
			return Math.max(1, (double) this.size / this.passed);
		}

	}

}
