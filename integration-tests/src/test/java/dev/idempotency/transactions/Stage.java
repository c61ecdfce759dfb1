package dev.idempotency.transactions;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.OnReplay;
import dev.idempotency.transactions.MatrixApplication.Parts;
import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import jakarta.persistence.EntityManager;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.h2.jdbc.JdbcConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * An application that runs, on which scenes are played one after the other.
 */
final class Stage implements AutoCloseable {

	/**
	 * What is said is up to the whole JVM, and others test it.
	 */
	private static final Map<Logger, Level> LEVELS = Stream.of(Logger.ROOT_LOGGER_NAME, "dev.idempotency")
		.map((name) -> (Logger) LoggerFactory.getLogger(name))
		.collect(Collectors.toMap(Function.identity(), Logger::getEffectiveLevel));

	/**
	 * A lease that is renewed while a test waits for it.
	 */
	static final String BRIEF_LEASE = "200ms";

	private static final String WITH_HIBERNATE = TestServer.WITH_DATABASE
		.replace("org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,", "");

	private final DatabaseUnderTest database;

	private final TestServer server;

	private final Parts parts;

	private final SingleConnectionDataSource connection;

	private final JdbcTemplate outside;

	private final @Nullable EntityManager entityManager;

	private final @Nullable Others others;

	/**
	 * Whether there was a request since leftovers were last looked for.
	 */
	private boolean requested;

	private int heldConnections;

	private int heldKeys;

	private Stage(DatabaseUnderTest database, SetUp setUp, String url, TestServer server) {
		this.database = database;
		this.server = server;
		this.parts = server.bean(Parts.class);
		this.connection = new SingleConnectionDataSource(url, true);
		this.outside = new JdbcTemplate(this.connection);
		this.entityManager = (setUp == SetUp.JPA) ? this.parts.entityManager().getObject() : null;
		this.others = (setUp == SetUp.TWO_MANAGERS) ? Others.of(this.parts.context()) : null;
		database.createTables(this.outside);
	}

	/**
	 * Starts an application.
	 * @param more what else it consists of
	 */
	static Stage open(DatabaseUnderTest database, SetUp setUp, Isolation isolation, Class<?>... more) {
		List<Class<?>> sources = new ArrayList<>(List.of(MatrixApplication.class));
		sources.addAll(List.of(more));
		if (setUp == SetUp.TWO_MANAGERS) {
			sources.add(OtherDatabase.class);
		}
		String url = database.newUrl(isolation);
		TestServer server = TestServer.start(sources, (setUp == SetUp.JPA) ? WITH_HIBERNATE : TestServer.WITH_DATABASE,
				"spring.datasource.url=" + url, "spring.datasource.hikari.transaction-isolation=" + isolation.ofPool(),
				"spring.datasource.hikari.maximum-pool-size=20", "spring.datasource.hikari.minimum-idle=4",
				"spring.datasource.hikari.connection-timeout=3000", "idempotency.store=jdbc",
				"idempotency.jdbc.initialize-schema=always", "idempotency.jdbc.timeout=3s",
				"spring.jpa.hibernate.ddl-auto=none",
				// Boot's manager tells failures of the database apart, Spring's own does
				// not
				"spring.dao.exceptiontranslation.enabled=" + (setUp != SetUp.TWO_MANAGERS),
				// All requests come by the same thread, and find what the last one left
				"server.tomcat.threads.max=1", "server.tomcat.threads.min-spare=1",
				// Hundreds of failures, all of them intended
				"logging.level.root=OFF", "logging.level.dev.idempotency=OFF");
		return new Stage(database, setUp, url, server);
	}

	DatabaseUnderTest database() {
		return this.database;
	}

	Parts parts() {
		return this.parts;
	}

	/**
	 * A manager of another database.
	 */
	PlatformTransactionManager other(boolean jpa) {
		Others known = Objects.requireNonNull(this.others, "this application has one manager");
		return jpa ? known.ofJpa : known.ofJdbc;
	}

	/**
	 * Does some work: a row.
	 */
	void work(Protection protection, String cell) {
		String id = UUID.randomUUID().toString();
		if (this.entityManager != null) {
			this.entityManager.persist(new WorkEntity(id, cell));
			return;
		}
		JdbcTemplate jdbc = (protection == Protection.OF_OTHER) ? otherJdbc() : this.parts.jdbc();
		jdbc.update("insert into work (id, cell) values (?, ?)", id, cell);
	}

	/**
	 * Does some work that cannot be written, which Hibernate notices at the commit.
	 */
	void workInVain(String cell) {
		Objects.requireNonNull(this.entityManager, "for JPA only").persist(new WorkEntity("taken", cell));
	}

	/**
	 * What has been committed.
	 */
	int rows(Protection protection, String cell) {
		return count((protection == Protection.OF_OTHER) ? otherJdbc() : this.outside, "work", cell);
	}

	int bystanders(String cell) {
		return count(this.outside, "bystander", cell);
	}

	private JdbcTemplate otherJdbc() {
		return Objects.requireNonNull(this.others, "this application has one database").jdbc;
	}

	private static int count(JdbcTemplate jdbc, String table, String cell) {
		Integer count = jdbc.queryForObject("select count(*) from %s where cell = ?".formatted(table), Integer.class,
				cell);
		return (count != null) ? count : -1;
	}

	Optional<Inspection> find(IdempotencyKey key) {
		return ((InspectableStore) this.parts.store()).find(key);
	}

	/**
	 * Gives a key to somebody else.
	 */
	void takeOver(IdempotencyKey key) {
		InspectableStore store = (InspectableStore) this.parts.store();
		store.forget(key);
		store.claim(key, Fingerprint.none(),
				new ClaimTerms(Duration.ofMinutes(1), Duration.ofHours(1), OnCrash.RETRY, OnReplay.READ));
	}

	/**
	 * Ends the connection of the present transaction.
	 */
	void killConnection() {
		if (this.database == DatabaseUnderTest.H2) {
			closeConnection();
			return;
		}
		this.database.killConnection(this.parts.jdbc(), this.outside);
	}

	private void closeConnection() {
		DataSource dataSource = this.parts.dataSource();
		Connection pooled = DataSourceUtils.getConnection(dataSource);
		try {
			pooled.unwrap(JdbcConnection.class).close();
			// Such a pool notices what a server says, and not this
			((HikariDataSource) dataSource).evictConnection(pooled);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			DataSourceUtils.releaseConnection(pooled, dataSource);
		}
	}

	/**
	 * Sends a request.
	 * @throws RequestFailedException if it failed
	 */
	Answer request(String key, boolean brief, Supplier<String> work) {
		this.requested = true;
		this.parts.handlers().doAt(key, work);
		try {
			Answer answer = this.server.post((brief ? "/brief-work/" : "/work/") + key).key(key).send();
			if (answer.status() >= 400) {
				throw new RequestFailedException(answer);
			}
			return answer;
		}
		finally {
			this.parts.handlers().forget(key);
		}
	}

	/**
	 * What a scene has left behind, seen from the thread that played it and from the one
	 * that answers requests.
	 */
	List<String> leftovers() {
		List<String> left = new ArrayList<>();
		this.parts.lastMoment().clear();
		String id = UUID.randomUUID().toString();
		addIfAny(left, "on this thread: ", this.parts.neighbour().report(id));
		int neighbours = 1;
		if (this.requested) {
			addIfAny(left, "on the thread of requests: ", this.server.post("/neighbour/" + id).send().text());
			neighbours++;
			this.requested = false;
		}
		if (bystanders(id) != neighbours) {
			left.add("only %d of %d transactions that came later were committed".formatted(bystanders(id), neighbours));
		}
		int keys = this.parts.engine().executionsInProgress();
		if (!becomesTrue(() -> this.parts.engine().executionsInProgress() <= this.heldKeys)) {
			left.add("%d keys are still held by the engine".formatted(keys - this.heldKeys));
		}
		int connections = activeConnections();
		if (!becomesTrue(() -> activeConnections() <= this.heldConnections)) {
			left.add("%d connections did not come back".formatted(connections - this.heldConnections));
		}
		this.heldKeys = this.parts.engine().executionsInProgress();
		this.heldConnections = activeConnections();
		return left;
	}

	private static void addIfAny(List<String> left, String where, String what) {
		if (!what.isEmpty()) {
			left.add(where + what);
		}
	}

	private int activeConnections() {
		return ((HikariDataSource) this.parts.dataSource()).getHikariPoolMXBean().getActiveConnections();
	}

	private static boolean becomesTrue(BooleanSupplier condition) {
		if (condition.getAsBoolean()) {
			return true;
		}
		try {
			Awaitility.await()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(5))
				.atMost(Duration.ofMillis(500))
				.until(condition::getAsBoolean);
			return true;
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	/**
	 * Whether so much was left behind that the next scene would suffer from it.
	 */
	boolean isSpoilt() {
		return this.heldConnections > 5;
	}

	@Override
	public void close() {
		this.server.close();
		this.connection.destroy();
		if (this.others != null) {
			this.others.factory.destroy();
		}
		LEVELS.forEach(Logger::setLevel);
	}

	/**
	 * Another database, and managers of it.
	 */
	private record Others(JdbcTemplate jdbc, PlatformTransactionManager ofJdbc, PlatformTransactionManager ofJpa,
			LocalContainerEntityManagerFactoryBean factory) {

		private static Others of(ApplicationContext context) {
			DataSource dataSource = context.getBean("otherDataSource", DataSource.class);
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setPackagesToScan(Stage.class.getPackageName());
			factory.afterPropertiesSet();
			return new Others(new JdbcTemplate(dataSource),
					context.getBean("otherManager", PlatformTransactionManager.class),
					(PlatformTransactionManager) context.getAutowireCapableBeanFactory()
						.initializeBean(new JpaTransactionManager(Objects.requireNonNull(factory.getObject())),
								"otherJpaManager"),
					factory);
		}

	}

	/**
	 * A client was told that its request failed.
	 */
	static final class RequestFailedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private RequestFailedException(Answer answer) {
			super(answer.status() + " " + answer.text());
		}

	}

}
