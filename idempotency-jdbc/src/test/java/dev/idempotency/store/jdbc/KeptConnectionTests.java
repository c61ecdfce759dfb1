package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.idempotency.store.MonotonicClock;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class KeptConnectionTests {

	private final Opening opening = new Opening();

	private final KeptConnection kept = new KeptConnection(this.opening, Duration.ofMinutes(1), new MonotonicClock());

	private static boolean use(KeptConnection kept) throws SQLException {
		return kept.use((connection) -> {
		}, (connection) -> {
			connection.createStatement().execute("select 1");
			return true;
		});
	}

	@Test
	void opensNothingBeforeItIsUsed() {
		assertThat(this.opening.opened).isEmpty();
		this.kept.close();
		assertThat(this.opening.opened).isEmpty();
	}

	@Test
	void keepsItsConnection() throws SQLException {
		assertThat(use(this.kept)).isTrue();
		assertThat(use(this.kept)).isTrue();
		assertThat(this.opening.opened).hasSize(1);
		this.kept.close();
		assertThat(this.opening.stillOpen()).isZero();
	}

	@Test
	void opensAnotherWhenItsConnectionHasBroken() throws SQLException {
		use(this.kept);
		this.opening.opened.get(0).close();
		assertThat(use(this.kept)).isTrue();
		assertThat(this.opening.opened).hasSize(2);
		this.kept.close();
	}

	@Test
	void keepsNothingThatFailedAndTriesOnceMore() throws SQLException {
		use(this.kept);
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> this.kept.use((connection) -> {
		}, (connection) -> connection.createStatement().execute("nonsense")));
		assertThat(this.opening.opened).hasSize(2);
		assertThat(this.opening.stillOpen()).isZero();
	}

	@Test
	void preparesEachConnectionOnce() throws SQLException {
		List<Connection> prepared = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 3; i++) {
			this.kept.use(prepared::add, Connection::getAutoCommit);
		}
		assertThat(prepared).isEqualTo(this.opening.opened).hasSize(1);
		this.kept.close();
	}

	@Test
	void keepsNothingThatCouldNotBePrepared() throws SQLException {
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> this.kept.use((connection) -> {
			throw new SQLException("no such schema");
		}, Connection::getAutoCommit)).withMessage("no such schema");
		assertThat(this.opening.opened).hasSize(1);
		assertThat(this.opening.stillOpen()).isZero();
	}

	@Test
	void closesWhatNobodyUsesForAWhileAndOpensItAgain() throws SQLException {
		try (KeptConnection brief = new KeptConnection(this.opening, Duration.ofMillis(50), new MonotonicClock())) {
			use(brief);
			await().until(() -> this.opening.stillOpen() == 0);
			use(brief);
			assertThat(this.opening.opened).hasSize(2);
			await().until(() -> this.opening.stillOpen() == 0);
		}
	}

	@Test
	void opensNothingOnceItIsClosed() {
		this.kept.close();
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> use(this.kept));
		assertThat(this.opening.opened).isEmpty();
		assertThat(this.opening.closed).isTrue();
	}

	/**
	 * Remembers the connections that it has opened.
	 */
	private static final class Opening extends AbstractDataSource implements AutoCloseable {

		private final DriverManagerDataSource dataSource = new DriverManagerDataSource("jdbc:h2:mem:kept");

		private final List<Connection> opened = new CopyOnWriteArrayList<>();

		private boolean closed;

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = this.dataSource.getConnection();
			this.opened.add(connection);
			return connection;
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

		private long stillOpen() throws SQLException {
			long count = 0;
			for (Connection connection : this.opened) {
				count += connection.isClosed() ? 0 : 1;
			}
			return count;
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
