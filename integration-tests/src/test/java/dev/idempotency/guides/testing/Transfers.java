package dev.idempotency.guides.testing;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;

/**
 * Books transfers.
 */
@Service
class Transfers {

	private final JdbcTemplate jdbc;

	Transfers(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	void book(int amount) {
		this.jdbc.update("insert into transfers (amount) values (?)", amount);
	}

	int count() {
		Integer count = this.jdbc.queryForObject("select count(*) from transfers", Integer.class);
		return (count != null) ? count : 0;
	}

}
