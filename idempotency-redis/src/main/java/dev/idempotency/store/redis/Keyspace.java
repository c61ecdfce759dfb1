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
 * Goes through the names of records in many short steps, so that nobody has to wait for
 * it, and gives up when that takes long.
 */
final class Keyspace {

	/**
	 * How many names a step passes when few of them are expected to match.
	 */
	private static final int LONG_STEP = 2000;

	/**
	 * How many names a step passes, and how many records are looked at in one.
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
	 * The servers that have records.
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
	 * A name for each master, which a script that has it as its key is sent to.
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
	 * Passes the names of records whose digest begins with some digits.
	 * @param server where
	 * @param digits the digits
	 * @param action what to do with some of them
	 * @return how far it came
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
	 * When a walk ends before it has passed all names.
	 *
	 * @param longest how long it takes, by the clocks of the servers, after what is
	 * always done
	 * @param passed how many names are always passed
	 * @param lookedAt how many records are always looked at
	 * @param lookedAtInCluster the same for each server of a cluster, where they are
	 * looked at one by one
	 */
	record Patience(Duration longest, int passed, int lookedAt, int lookedAtInCluster) {

		static Patience ofPeople() {
			return new Patience(Duration.ofMillis(500), 2_000_000, 20_000, 2_000);
		}

	}

	/**
	 * A server.
	 *
	 * @param anchor the number of a name that it would have
	 * @param masters how many there are in its cluster; zero if it is in none
	 */
	record Server(int anchor, int masters) {

		/**
		 * A script may not ask for several records in a cluster, even of one server.
		 */
		private int batch() {
			return isInCluster() ? 1 : SHORT_STEP;
		}

		private boolean isInCluster() {
			return this.masters > 0;
		}

	}

	/**
	 * How far a walk through the names of a server came.
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
		 * Whether it passed all names.
		 */
		boolean isComplete() {
			return this.complete;
		}

		/**
		 * How many times more names there are than it passed.
		 */
		double factor() {
			return Math.max(1, (double) this.size / this.passed);
		}

	}

}
