package dev.idempotency.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The cost of a first request and of a replay in each store, compared with the same round
 * trips by hand on the same connections.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class StoreBenchmark {

	private static final ClaimTerms TERMS = new ClaimTerms(ByHand.LEASE, ByHand.TTL, OnCrash.RETRY, OnReplay.READ);

	private static final Fingerprint FINGERPRINT = Fingerprint.sha256(new byte[200]);

	/**
	 * The store of results.
	 */
	@Param({ "memory", "h2", "redis", "postgres" })
	public String store = "memory";

	private final byte[] answer = Payloads.json(200);

	private final StoredResult result = StoredResult.of(this.answer);

	private final String run = UUID.randomUUID().toString();

	private final String done = this.run + "-done";

	private final AtomicLong sequence = new AtomicLong();

	private final List<AutoCloseable> resources = new ArrayList<>();

	private IdempotencyStore subject = inMemory();

	private ByHand floor = new ByHand.InMemory();

	private static InMemoryIdempotencyStore inMemory() {
		return new InMemoryIdempotencyStore(new MemoryLimits(100_000, 64 << 20), new MonotonicClock(), (key) -> {
		});
	}

	/**
	 * Connect to the store, and leave a result to be replayed.
	 */
	@Setup
	public void connect() throws SQLException {
		switch (this.store) {
			case "h2" -> use("jdbc:h2:mem:" + this.run, "");
			case "postgres" -> use(SharedPostgres.SERVER.url(), "on conflict do nothing");
			case "redis" -> use(connectionsTo(SharedRedis.SERVER));
			default -> {
			}
		}
		first();
		this.subject.complete(claim(key(this.done)), this.result, ByHand.TTL);
		this.floor.first(this.done, this.answer);
	}

	private void use(String url, String onConflict) throws SQLException {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(url);
		dataSource.setMaximumPoolSize(4);
		this.resources.add(dataSource);
		JdbcIdempotencyStore jdbc = new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
		jdbc.prepareTable(InitializeSchema.ALWAYS);
		this.subject = jdbc;
		this.floor = new ByHand.OnDatabase(dataSource, onConflict);
	}

	private void use(LettuceConnectionFactory connections) {
		this.resources.add(connections::destroy);
		RedisIdempotencyStore redis = new RedisIdempotencyStore(connections, "benchmark:" + this.run + ":", 0);
		this.resources.add(redis);
		this.subject = redis;
		this.floor = new ByHand.OnRedis(connections);
	}

	private static LettuceConnectionFactory connectionsTo(Servers.Redis server) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", server.port());
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

	/**
	 * Close the connections.
	 */
	@TearDown
	public void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	/**
	 * A first request: claim and complete.
	 */
	@Benchmark
	public boolean first() {
		return this.subject.complete(claim(key(newId())), this.result, ByHand.TTL);
	}

	/**
	 * The floor of a first request.
	 */
	@Benchmark
	public boolean firstByHand() throws SQLException {
		return this.floor.first(newId(), this.answer);
	}

	/**
	 * A replay: a claim of a key that is completed.
	 */
	@Benchmark
	public ClaimResult replay() {
		return this.subject.claim(key(this.done), FINGERPRINT, TERMS);
	}

	/**
	 * The floor of a replay.
	 */
	@Benchmark
	public byte @Nullable [] replayByHand() throws SQLException {
		return this.floor.replay(this.done);
	}

	private Claim claim(IdempotencyKey key) {
		return ((ClaimResult.Granted) this.subject.claim(key, FINGERPRINT, TERMS)).claim();
	}

	private String newId() {
		return this.run + this.sequence.incrementAndGet();
	}

	private IdempotencyKey key(String id) {
		return IdempotencyKey.of("POST /payments", id);
	}

	/**
	 * Started on first use; ends with the process.
	 */
	private static final class SharedRedis {

		private static final Servers.Redis SERVER = Servers.startRedis();

	}

	/**
	 * Started on first use; ends with the process.
	 */
	private static final class SharedPostgres {

		private static final Servers.Postgres SERVER = Servers.startPostgres();

	}

}
