package dev.idempotency.guides;

import dev.idempotency.Idempotent;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The PATCH of {@code docs/recipes.md}.
 */
@RestController
class AccountController {

	private final JdbcClient jdbc;

	AccountController(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@PatchMapping("/accounts/{id}")
	@Idempotent(transactional = true)
	Account deposit(@PathVariable String id, @RequestBody Deposit deposit) {
		this.jdbc.sql("update accounts set balance = balance + ? where id = ?").params(deposit.amount(), id).update();
		return this.jdbc.sql("select id, balance from accounts where id = ?").param(id).query(Account.class).single();
	}

	record Deposit(int amount) {
	}

	record Account(String id, int balance) {
	}

}
