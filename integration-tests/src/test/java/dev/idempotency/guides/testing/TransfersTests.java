package dev.idempotency.guides.testing;

import java.time.Duration;
import java.util.UUID;

import dev.idempotency.core.StoreVerb;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.TestIdempotency;
import dev.idempotency.test.TestIdempotencyConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient;

import static dev.idempotency.test.IdempotencyAssertions.assertThatReplays;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The application of {@code docs/testing.md} on a port, with its database.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.application.name=payments", "idempotency.store=jdbc",
				"spring.datasource.url=jdbc:h2:mem:transfers-on-a-port" })
@AutoConfigureRestTestClient
@Import(TestIdempotencyConfiguration.class)
class TransfersTests {

	private final String key = UUID.randomUUID().toString();

	@Autowired
	private RestTestClient client;

	@Autowired
	private TestIdempotency idempotency;

	@Autowired
	private Transfers transfers;

	@BeforeEach
	void clear(@Autowired JdbcTemplate jdbc) {
		jdbc.execute("create table if not exists transfers (amount integer)");
		jdbc.update("delete from transfers");
	}

	private EntityExchangeResult<String> transfer(int amount) {
		return this.client.post()
			.uri("/transfers")
			.header("Idempotency-Key", this.key)
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"amount\":%d}".formatted(amount))
			.exchange()
			.returnResult(String.class);
	}

	@Test
	void booksOnce() {
		assertThatReplays(() -> transfer(20));
		assertThat(this.transfers.count()).isEqualTo(1);
	}

	@Test
	void rollsBackWhatACrashLeftBehindAndBooksItOnTheNextAttempt() {
		this.idempotency.crashAfterWork(() -> transfer(20));
		assertThat(this.transfers.count()).isZero();
		assertThatReplays(() -> transfer(20));
		assertThat(this.transfers.count()).isEqualTo(1);
	}

	@Test
	void booksNothingWhenTheKeyCannotBeCompleted() throws Exception {
		EntityExchangeResult<String> answer = this.idempotency.failing(StoreVerb.COMPLETE, Fault.BEFORE,
				() -> transfer(20));
		assertThat(answer.getStatus().is5xxServerError()).isTrue();
		assertThat(this.transfers.count()).isZero();
	}

	@Test
	void cannotMoveTheClockOfADatabase() {
		assertThatIllegalStateException().isThrownBy(() -> this.idempotency.pass(Duration.ofHours(1)))
			.withMessageContaining("idempotency.store=memory");
	}

	@Test
	void noticesThatNothingCrashed() {
		transfer(20);
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.idempotency.crashAfterWork(() -> transfer(20)))
			.withMessageContaining("No attempt began");
	}

}
