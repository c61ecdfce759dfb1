package dev.idempotency.benchmarks.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.idempotency.benchmarks.Servers;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * The applications that are compared, and their stores.
 */
final class Bench implements AutoCloseable {

	private final String java;

	private final List<String> options;

	private final List<AutoCloseable> open = new ArrayList<>();

	/**
	 * Create a bench.
	 * @param java the applications' runtime, or an empty text for our own
	 */
	Bench(String java) {
		this(java, List.of());
	}

	/**
	 * Create a bench.
	 * @param java the applications' runtime, or an empty text for our own
	 * @param options its options, beside those of the system property
	 * {@code load.options}, for example for a flight recording or a profiler
	 */
	Bench(String java, List<String> options) {
		this.java = java;
		this.options = new ArrayList<>(options);
		this.options.addAll(Arrays.asList(StringUtils.tokenizeToStringArray(System.getProperty("load.options"), " ")));
		String agent = System.getProperty("load.agent", "");
		if (!agent.isEmpty()) {
			this.options.add("-agentpath:" + agent);
		}
	}

	Subject without(String... settings) {
		return subject("without", Subject.Kind.WITHOUT, null, List.of(), settings);
	}

	Subject onMemory(String... settings) {
		return subject("memory", Subject.Kind.STARTER, null, List.of("--idempotency.store=memory"), settings);
	}

	Subject floorInMemory(String... settings) {
		return subject("floor in memory", Subject.Kind.FLOOR, null, List.of("--load.floor=memory"), settings);
	}

	Subject onRedis(Servers.Redis server, String... settings) {
		return subject("Redis", Subject.Kind.STARTER, server,
				List.of("--idempotency.store=redis", "--spring.data.redis.port=" + server.port()), settings);
	}

	Subject floorOnRedis(Servers.Redis server, String... settings) {
		return subject("floor on Redis", Subject.Kind.FLOOR, server,
				List.of("--load.floor=redis", "--spring.data.redis.port=" + server.port()), settings);
	}

	Subject onPostgres(Servers.Postgres server, String... settings) {
		return subject(
				"PostgreSQL", Subject.Kind.STARTER, server, List.of("--idempotency.store=jdbc",
						"--idempotency.jdbc.initialize-schema=always", "--spring.datasource.url=" + server.url()),
				settings);
	}

	Subject floorOnPostgres(Servers.Postgres server, String... settings) {
		return subject("floor on PostgreSQL", Subject.Kind.FLOOR, server,
				List.of("--load.floor=postgres", "--spring.datasource.url=" + server.url()), settings);
	}

	Servers.Redis redis() {
		return keep(Servers.startRedis());
	}

	/**
	 * Without background work of PostgreSQL, whose processes come and go, and after which
	 * it writes whole pages.
	 */
	Servers.Postgres postgres() {
		return keep(Servers.startPostgres(Map.of("autovacuum", "off", "shared_buffers", "512MB", "max_connections",
				"100", "checkpoint_timeout", "1d", "max_wal_size", "8GB")));
	}

	private Subject subject(String name, Subject.Kind kind, Servers.@Nullable Server store, List<String> own,
			String... settings) {
		List<String> all = new ArrayList<>(own);
		all.add("--idempotency.http.max-request-body=2MB");
		all.add("--spring.datasource.hikari.maximum-pool-size=16");
		all.addAll(List.of(settings));
		ApplicationProcess application = keep(
				ApplicationProcess.start(this.java, this.options, kind == Subject.Kind.STARTER, all));
		return new Subject(name, application, store, kind);
	}

	private <T extends AutoCloseable> T keep(T closeable) {
		this.open.add(0, closeable);
		return closeable;
	}

	@Override
	public void close() {
		for (AutoCloseable each : this.open) {
			try {
				each.close();
			}
			catch (Exception ex) {
				System.err.println("Could not be closed: " + ex);
			}
		}
		this.open.clear();
	}

}
