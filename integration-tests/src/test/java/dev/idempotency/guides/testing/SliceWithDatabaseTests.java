package dev.idempotency.guides.testing;

import java.util.UUID;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static dev.idempotency.test.IdempotencyAssertions.assertThatReplays;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice that brings its database along has the application's store.
 */
@WebMvcTest(controllers = TransferController.class,
		properties = { "spring.application.name=payments", "idempotency.store=jdbc",
				"spring.datasource.url=jdbc:h2:mem:slice-with-database" })
@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
		JdbcTemplateAutoConfiguration.class })
@Import(Transfers.class)
class SliceWithDatabaseTests {

	@Test
	void joinsTheTransactionsOfTheApplication(@Autowired MockMvcTester mvc, @Autowired IdempotencyStore store,
			@Autowired Transfers transfers, @Autowired JdbcTemplate jdbc) {
		jdbc.execute("create table transfers (amount integer)");
		assertThat(store).isInstanceOf(JdbcIdempotencyStore.class);
		UUID key = UUID.randomUUID();
		assertThatReplays(() -> mvc.post()
			.uri("/transfers")
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":20}")
			.exchange());
		assertThat(transfers.count()).isEqualTo(1);
	}

}
