package dev.idempotency.guides;

import dev.idempotency.DryRun;
import dev.idempotency.Idempotent;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The handlers of {@code docs/transactions.md}.
 */
@RestController
class OrderController {

	private final JdbcTemplate jdbc;

	OrderController(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	@PostMapping("/orders")
	@Idempotent(transactional = true)
	ResponseEntity<Order> place(@RequestBody Order order) {
		this.jdbc.update("insert into orders (id, amount) values (?, ?)", order.id(), order.amount());
		return ResponseEntity.status(HttpStatus.CREATED).body(order);
	}

	@PostMapping("/transfers")
	@Idempotent(transactional = true, dryRun = DryRun.ROLLBACK)
	ResponseEntity<Order> transfer(@RequestBody Order order) {
		return place(order);
	}

}
