package dev.idempotency.web;

import java.util.List;

import dev.idempotency.Idempotent;
import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

class PostgresTransactionalHttpTests extends TransactionalHttpContract {

	@Override
	String url() {
		return PostgresServer.shared().newSchema();
	}

	@Override
	List<Class<?>> surroundings() {
		return List.of(Poisoning.class);
	}

	@Test
	void saysThatNothingWasDoneWhenTheKeyCannotBeCompleted() {
		Answer answer = pay("poisoning");
		assertUndone(answer, 503);
		assertThat(answer.text()).contains("store-unavailable");
	}

	/**
	 * A handler after whose mistake PostgreSQL refuses everything in its transaction.
	 */
	@RestController
	record Poisoning(JdbcTemplate jdbc) {

		@Idempotent(transactional = true)
		@PostMapping("/transactional/poisoning")
		String poisoning() {
			this.jdbc.update("insert into payment (text) values ('first')");
			try {
				this.jdbc.update("insert into nowhere (text) values ('second')");
			}
			catch (BadSqlGrammarException ex) {
				// As if nothing had happened
			}
			return "paid";
		}

	}

}
