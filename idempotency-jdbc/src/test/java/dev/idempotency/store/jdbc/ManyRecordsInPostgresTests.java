package dev.idempotency.store.jdbc;

import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.fixtures.ManyRecordsContract;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.SearchableStore.Count;
import dev.idempotency.store.SearchableStore;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

class ManyRecordsInPostgresTests extends ManyRecordsContract {

	private final HikariDataSource dataSource = new HikariDataSource();

	private final JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());

	@Override
	protected void fill() {
		this.dataSource.setJdbcUrl(PostgresServer.shared().newSchema());
		this.store.prepareTable(InitializeSchema.ALWAYS);
		JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);
		// As IdempotencyKey makes the digest
		jdbc.execute("create function part(text) returns bytea immutable language sql as "
				+ "'select int4send(octet_length(convert_to($1, ''UTF8''))) || convert_to($1, ''UTF8'')'");
		jdbc.execute("""
				create function start(text) returns bytea immutable language plpgsql as $$
				declare
					hash bigint := 0;
				begin
					for i in 1..least(length($1), 200) loop
						hash := (31 * hash + ascii(substr($1, i, 1))) & 4294967295;
					end loop;
					hash := mod((hash # (hash >> 16))::numeric * x'85ebca6b'::bigint, 4294967296)::bigint;
					hash := mod((hash # (hash >> 13))::numeric * x'c2b2ae35'::bigint, 4294967296)::bigint;
					return substring(int4send(((hash >> 8) & 255)::int) from 4)
						|| substring(int4send(((hash >> 16) & 255)::int) from 4)
						|| substring(int4send((hash >> 24)::int) from 4);
				end $$""");
		String digest = "start(key) || substring(sha256(part(namespace) || "
				+ "part(operation) || part(principal) || int4send(-1) || part(key)) from 4)";
		jdbc.update("insert into idempotency_record (id, namespace, operation, principal, idempotency_key, state, "
				+ "attempt, owner, fingerprint, created_at, ends_at, expires_at, result) " + "select " + digest
				+ ", namespace, operation, principal, key, "
				+ "case when i % 1000 = 0 then 0 else 1 end, 1, 1, sha256('f'), created, "
				+ "case when i % ? = 0 then now() + interval '1 hour' else created end, "
				+ "created + interval '7 days', "
				+ "case when i % 1000 = 0 then null else decode('0100' || repeat('ab', ?), 'hex') end "
				+ "from (select i, 'shop' as namespace, 'POST /' || i % ? as operation, 'user ' || i % ? as principal, "
				+ "'key ' || i as key, now() - i * ? * interval '1 millisecond' as created "
				+ "from generate_series(0, ?) i) as numbers", RUNNING_ONE_IN, RESULT_SIZE - 2, OPERATIONS, PRINCIPALS,
				INTERVAL.toMillis(), RECORDS - 1);
		jdbc.execute("analyze idempotency_record");
	}

	@AfterAll
	void close() {
		new JdbcTemplate(this.dataSource).execute("truncate idempotency_record");
		this.dataSource.close();
	}

	@Test
	void estimatesFromSomeOfTheBlocksWhereAllOfThemWouldTakeTooLong() {
		SearchableStore.Counts counts = new Database(this.dataSource, this.dataSource, JdbcSettings.defaults(), null)
			.onOwnConnection("count",
					(connection, tables) -> new TableSearch(connection, tables).count(NAMESPACE, 300));
		assertThat(counts.exact()).isFalse();
		assertThat(counts.counts().stream().mapToLong(SearchableStore.Count::number).sum()).isCloseTo(RECORDS,
				Percentage.withPercentage(40));
	}

	/**
	 * Here all have the same ttl, so that what is found is right; but nobody knows.
	 */
	@Test
	void looksAtWhatLivesTheLongestWhereAllOfItWouldTakeTooLong() {
		SearchableStore.Found found = new Database(this.dataSource, this.dataSource, JdbcSettings.defaults(), null)
			.onOwnConnection("search", (connection, tables) -> new TableSearch(connection, tables)
				.search(RecordFilter.all(NAMESPACE), 100, 50, 300));
		assertThat(found.complete()).isFalse();
		assertThat(found.records()).isEqualTo(store().search(RecordFilter.all(NAMESPACE), 100, 50).records());
	}

	@Override
	protected SearchableStore store() {
		return this.store;
	}

	@Override
	protected Class<?> reader() {
		return Reader.class;
	}

	@Override
	protected String address() {
		return this.dataSource.getJdbcUrl();
	}

	/**
	 * In a process of its own.
	 */
	static final class Reader {

		private Reader() {
		}

		public static void main(String[] arguments) {
			try (HikariDataSource connections = new HikariDataSource()) {
				connections.setJdbcUrl(arguments[0]);
				read(new JdbcIdempotencyStore(connections, JdbcSettings.defaults()));
			}
		}

	}

}
