package dev.idempotency.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

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

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static dev.idempotency.store.redis.Names.utf8;

/**
 * Finds and counts records. The server has no index of them, so all names are scanned. A
 * script on the server reads the records with matching names, until that takes too long.
 */
final class KeyspaceSearch {

	private static final int FOUND_SIZE = 3;

	private static final int COUNT_SIZE = 4;

	private final Names names;

	private final ScriptRunner scripts;

	private final Keyspace keyspace;

	KeyspaceSearch(RedisConnectionFactory connectionFactory, ScriptRunner scripts, Names names,
			Keyspace.Patience patience) {
		this.names = names;
		this.scripts = scripts;
		this.keyspace = new Keyspace(connectionFactory, scripts, names, patience);
	}

	Found search(RecordFilter filter, int offset, int limit) {
		NewestRecords newest = new NewestRecords(offset, limit);
		boolean complete = true;
		for (Keyspace.Server server : this.keyspace.servers()) {
			complete &= this.keyspace.walk(server, filter.idStart(), (found) -> look(found, filter, newest))
				.isComplete();
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
		for (Keyspace.Server server : this.keyspace.servers()) {
			RecordTally part = new RecordTally();
			Keyspace.Walk walk = this.keyspace.walk(server, "", (found) -> count(found, wanted, part));
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
			tally.add(operation, RecordState.COMPLETED, ScriptValues.number(answer.get(at + 3)));
		}
	}

	Optional<Inspection> find(RecordId id) {
		return Optional.ofNullable(this.scripts.read(Script.FIND, this.names.record(id)))
			.map((reply) -> new RecordReply(reply).toInspection(id));
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

}
