package dev.idempotency.web;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.idempotency.Idempotent;
import dev.idempotency.servers.MariaDbServer;
import dev.idempotency.servers.PostgresServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A {@code transactional} handler that has read something, and whose lease is renewed
 * meanwhile, commits once, whatever the isolation of its transaction.
 */
@Tag("once")
@Tag("slow")
class IsolatedTransactionHttpTests {

	static Stream<Arguments> databases() {
		return Stream.of("TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE")
			.flatMap((isolation) -> Stream.of("postgresql", "h2", "mariadb")
				.map((database) -> Arguments.of(database, isolation)));
	}

	private static String url(String database) {
		return switch (database) {
			case "postgresql" -> PostgresServer.shared().newSchema();
			case "h2" -> "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
			default -> MariaDbServer.shared().url();
		};
	}

	@ParameterizedTest
	@MethodSource("databases")
	void commitsOnce(String database, String isolation) {
		try (TestServer server = TestServer.start(List.of(WebTestApplication.class, Payments.class),
				TestServer.WITH_DATABASE, "spring.datasource.url=" + url(database),
				"spring.datasource.hikari.transaction-isolation=" + isolation, "idempotency.store=jdbc",
				"idempotency.jdbc.initialize-schema=always", "idempotency.lease=400ms",
				"idempotency.jdbc.timeout=100ms")) {
			JdbcTemplate jdbc = server.bean(JdbcTemplate.class);
			jdbc.execute("drop table if exists payment");
			jdbc.execute("create table payment (text varchar(100))");
			String key = TestServer.newKey();
			Answer first = server.post("/slow-payments").key(key).json("\"text\"").send();
			assertThat(first.status()).as("%s", first).isEqualTo(200);
			assertThat(server.post("/slow-payments").key(key).json("\"text\"").send().isReplay()).isTrue();
			assertThat(jdbc.queryForList("select text from payment")).hasSize(1);
		}
	}

	@RestController
	record Payments(JdbcTemplate jdbc, DataSource dataSource) {

		@Idempotent(transactional = true)
		@PostMapping("/slow-payments")
		String pay(@RequestBody String text) throws SQLException {
			this.jdbc.queryForList("select text from payment");
			String claimed = leases();
			Awaitility.await().until(() -> !leases().equals(claimed));
			this.jdbc.update("insert into payment (text) values (?)", text);
			return "paid";
		}

		/**
		 * What others see of the leases.
		 */
		private String leases() throws SQLException {
			try (Connection connection = this.dataSource.getConnection();
					Statement statement = connection.createStatement();
					ResultSet rows = statement
						.executeQuery("select max(ends_at) from idempotency_record where state = 0")) {
				rows.next();
				return rows.getString(1);
			}
		}

	}

}
