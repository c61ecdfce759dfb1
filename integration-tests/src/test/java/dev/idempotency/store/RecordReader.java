package dev.idempotency.store;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.RecordState;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import dev.idempotency.store.redis.RedisIdempotencyStore;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Looks through a store and says how long it took.
 */
public final class RecordReader {

	private static final RecordFilter ALL = RecordFilter.all(ManyRecordsContract.NAMESPACE);

	private RecordReader() {
	}

	public static void main(String[] arguments) {
		String address = arguments[1];
		if (arguments[0].equals("redis")) {
			LettuceConnectionFactory connections = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(address)));
			connections.afterPropertiesSet();
			connections.start();
			read(new RedisIdempotencyStore(connections, "idempotency:", 0));
			connections.destroy();
			return;
		}
		try (HikariDataSource connections = new HikariDataSource()) {
			connections.setJdbcUrl(address);
			read(new JdbcIdempotencyStore(connections, JdbcSettings.defaults()));
		}
	}

	private static void read(SearchableStore store) {
		// The first time, also the JVM is slow
		for (int round = 1; round <= 3; round++) {
			for (int page : List.of(0, 20)) {
				time(round, "page " + page, () -> store.search(ALL, page * 50, 50));
			}
			time(round, "key", () -> store.search(ALL.withKey("key " + ManyRecordsContract.RECORDS / 3), 0, 50));
			time(round, "operation", () -> store.search(ALL.withOperation("POST /7"), 0, 50));
			for (RecordState state : RecordState.values()) {
				time(round, "state " + state, () -> store.search(ALL.withState(state), 0, 50));
			}
			time(round, "counts", () -> store.count(ManyRecordsContract.NAMESPACE));
		}
	}

	private static void time(int round, String what, Supplier<Object> action) {
		long start = System.nanoTime();
		Object answer = action.get();
		long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
		String result = (answer instanceof SearchableStore.Found found)
				? "%d records%s".formatted(found.records().size(), found.complete() ? "" : " of some")
				: "%s".formatted(((SearchableStore.Counts) answer).exact() ? "exact" : "estimated");
		System.out.printf("round %d, %s: %d ms, %s, heap %d MB%n", round, what, millis, result,
				(Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
	}

}
