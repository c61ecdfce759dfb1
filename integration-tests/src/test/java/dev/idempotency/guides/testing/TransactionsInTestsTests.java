package dev.idempotency.guides.testing;

import java.util.UUID;

import dev.idempotency.test.IdempotencyAssertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@code docs/testing.md} says about tests that run in a transaction.
 */
@SpringBootTest(properties = { "spring.application.name=payments", "idempotency.store=jdbc",
		"spring.datasource.url=jdbc:h2:mem:transactions-in-tests" })
@AutoConfigureMockMvc
class TransactionsInTestsTests {

	private final String key = UUID.randomUUID().toString();

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private JdbcTemplate jdbc;

	@Autowired
	private Transfers transfers;

	@BeforeEach
	void clear() {
		this.jdbc.execute("create table if not exists transfers (amount integer)");
		this.jdbc.update("delete from transfers");
		this.jdbc.update("delete from idempotency_record");
	}

	private MvcTestResult post(String path) {
		return this.mvc.post()
			.uri(path)
			.header("Idempotency-Key", this.key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":20}")
			.exchange();
	}

	@Test
	void booksOnce() {
		IdempotencyAssertions.assertThatReplays(() -> post("/transfers"));
		assertThat(this.transfers.count()).isEqualTo(1);
	}

	@Test
	@Transactional
	void aTransactionalHandlerCommitsByItselfWhateverTheTestDoes() {
		IdempotencyAssertions.assertThatReplays(() -> post("/transfers"));
		TestTransaction.flagForRollback();
		TestTransaction.end();
		assertThat(this.transfers.count()).isEqualTo(1);
	}

	@Test
	@Transactional
	void anyOtherHandlerTakesPartInTheTestsTransactionAndItsKeyDoesNot() {
		IdempotencyAssertions.assertThatReplays(() -> post("/bookings"));
		TestTransaction.flagForRollback();
		TestTransaction.end();
		assertThat(this.transfers.count()).isZero();
		assertThat(post("/bookings")).hasHeader("Idempotent-Replayed", "true");
	}

}
