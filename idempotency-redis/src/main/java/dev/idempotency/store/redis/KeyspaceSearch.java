package dev.idempotency.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import dev.idempotency.RecordState;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.SearchableStore.Counts;
import dev.idempotency.store.SearchableStore.Found;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static dev.idempotency.store.redis.Names.utf8;

/**
 * Finds and counts records. The server has no index of them, so all names are scanned, in
 * many short steps that do not block it. A script on the server reads the records with
 * matching names. Both end early where there are too many.
 */
final class KeyspaceSearch {

	/**
	 * How many names are scanned on a server.
	 */
	private static final int MOST_NAMES = 2_000_000;

	/**
	 * How many records are read on a server: about half a second of its time.
	 */
	static final int MOST_RECORDS = 50_000;

	/**
	 * A script may not read several records in a cluster, even on one server, so each
	 * takes a round trip there.
	 */
	private static final int DEARER_IN_CLUSTER = 20;

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

	private static final int FOUND_SIZE = 3;

	private static final int COUNT_SIZE = 5;

	private final RedisConnectionFactory connectionFactory;

	private final ScriptRunner scripts;

	private final Names names;

	private final int mostRecords;

	KeyspaceSearch(RedisConnectionFactory connectionFactory, ScriptRunner scripts, Names names, int mostRecords) {
		this.connectionFactory = connectionFactory;
		this.scripts = scripts;
		this.names = names;
		this.mostRecords = mostRecords;
	}

	Found search(RecordFilter filter, int offset, int limit) {
		NewestRecords newest = new NewestRecords(offset, limit);
		boolean complete = true;
		for (Server server : servers()) {
			complete &= walk(server, filter.idStart(), (found) -> look(found, filter, newest)).isComplete();
		}
		return new Found(newest.page(), complete);
	}

	private void look(List<byte[]> found, RecordFilter filter, NewestRecords newest) {
		List<@Nullable Object> answer = this.scripts.ask(Script.SEARCH, found, utf8(filter.namespace()),
				(filter.key() != null) ? RecordPacking.packKey(filter.key()) : new byte[0], text(filter.operation()),
				text((filter.state() != null) ? filter.state().name() : null), age(filter.minAge()),
				age(filter.maxAge()), number(newest.floor().toEpochMilli()), number(newest.reach()));
		long now = ScriptValues.number(answer.get(0));
		for (int at = 1; at < answer.size(); at += FOUND_SIZE) {
			RecordId id = this.names.id(ScriptValues.bytes(answer.get(at)));
			RecordSummary record = PackedRecord.readHead(ScriptValues.bytes(answer.get(at + 1)), 0)
				.toSummary(id, now, ScriptValues.number(answer.get(at + 2)));
			if (filter.matches(record, Instant.ofEpochMilli(now))) {
				newest.add(record);
			}
		}
	}

	Counts count(String namespace) {
		byte[] wanted = utf8(RecordFilter.all(namespace).namespace());
		RecordTally tally = new RecordTally();
		for (Server server : servers()) {
			RecordTally part = new RecordTally();
			Walk walk = walk(server, "", (found) -> count(found, wanted, part));
			if (walk.isComplete()) {
				tally.addAll(part);
			}
			else {
				tally.addSample(part, walk.factor());
			}
		}
		return tally.counts();
	}

	private void count(List<byte[]> found, byte[] namespace, RecordTally tally) {
		List<@Nullable Object> answer = this.scripts.ask(Script.COUNT, found, namespace);
		for (int at = 0; at < answer.size(); at += COUNT_SIZE) {
			String operation = ScriptValues.text(answer.get(at));
			tally.add(operation, RecordState.IN_PROGRESS, ScriptValues.number(answer.get(at + 1)));
			tally.add(operation, RecordState.ABANDONED, ScriptValues.number(answer.get(at + 2)));
			tally.add(operation, RecordState.REPORTED_UNKNOWN, ScriptValues.number(answer.get(at + 3)));
			tally.add(operation, RecordState.COMPLETED, ScriptValues.number(answer.get(at + 4)));
		}
	}

	Optional<Inspection> find(RecordId id) {
		return Optional.ofNullable(this.scripts.read(Script.FIND, this.names.record(id)))
			.map((reply) -> new RecordReply(reply).toInspection(id));
	}

	/**
	 * The servers that hold records. A script whose key is the anchor of a number runs on
	 * the master that has its slot.
	 */
	private List<Server> servers() {
		RedisConnection connection = this.connectionFactory.getConnection();
		try {
			if (!(connection instanceof RedisClusterConnection cluster)) {
				return List.of(new Server(0, SHORT_STEP, this.mostRecords));
			}
			List<RedisClusterNode> masters = new ArrayList<>();
			cluster.clusterGetNodes().forEach((node) -> {
				if (node.isMaster() && !node.getSlotRange().getSlots().isEmpty()) {
					masters.add(node);
				}
			});
			List<Server> servers = new ArrayList<>();
			for (int i = 0; i < MOST_ANCHORS && !masters.isEmpty(); i++) {
				int slot = ClusterSlotHashUtil.calculateSlot(this.names.anchor(i));
				if (masters.removeIf((node) -> node.servesSlot(slot))) {
					servers.add(new Server(i, 1, this.mostRecords / DEARER_IN_CLUSTER));
				}
			}
			return servers;
		}
		finally {
			connection.close();
		}
	}

	/**
	 * Scans the names of records whose digest begins with the given digits.
	 * @param action handles a batch of names
	 */
	private Walk walk(Server server, String digits, Consumer<List<byte[]>> action) {
		byte[] anchor = this.names.anchor(server.anchor());
		byte[] pattern = this.names.pattern(digits);
		int step = (digits.length() < FEW_DIGITS) ? SHORT_STEP : LONG_STEP;
		byte[] cursor = utf8("0");
		int passed = 0;
		int read = 0;
		long size;
		do {
			List<@Nullable Object> answer = this.scripts.ask(Script.SCAN, anchor, cursor, pattern, number(step));
			size = ScriptValues.number(answer.get(0));
			cursor = utf8(ScriptValues.text(answer.get(1)));
			List<byte[]> found = answer.stream().skip(2).map(ScriptValues::bytes).toList();
			for (int from = 0; from < found.size(); from += server.batch()) {
				action.accept(found.subList(from, Math.min(found.size(), from + server.batch())));
			}
			passed += step;
			read += found.size();
			if (cursor.length == 1 && cursor[0] == '0') {
				return new Walk(true, 1);
			}
		}
		while (passed < MOST_NAMES && read < server.mostRecords());
		return new Walk(false, Math.max(1, (double) size / passed));
	}

	private static byte[] text(@Nullable String text) {
		return utf8((text != null) ? text : "");
	}

	private static byte[] number(long number) {
		return utf8(String.valueOf(number));
	}

	private static byte[] age(@Nullable Duration age) {
		return (age != null) ? number(age.toMillis()) : new byte[0];
	}

	/**
	 * A server.
	 *
	 * @param anchor the number of an anchor on this server
	 * @param batch how many records a script reads at once there
	 * @param mostRecords how many records are read there in all
	 */
	private record Server(int anchor, int batch, int mostRecords) {

	}

	/**
	 * A scan of one server that has ended.
	 *
	 * @param isComplete whether it scanned all names
	 * @param factor the ratio of all names to the scanned ones
	 */
	private record Walk(boolean isComplete, double factor) {

	}

}
