package dev.idempotency.guides;

import dev.idempotency.Idempotent;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;

/**
 * The method of {@code docs/transactions.md}.
 */
@Service
class OrderBook {

	private final JdbcTemplate jdbc;

	OrderBook(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	@Idempotent(key = "#order.id", transactional = true)
	public void book(Order order) {
		this.jdbc.update("insert into orders (id, amount) values (?, ?)", order.id(), order.amount());
	}

}
