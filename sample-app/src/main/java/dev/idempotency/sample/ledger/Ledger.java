package dev.idempotency.sample.ledger;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Records one line for each thing that was done. A thing that is done twice has two
 * lines.
 */
@Component
public class Ledger {

	private final JdbcClient database;

	Ledger(JdbcClient database) {
		this.database = database;
	}

	/**
	 * Writes a line, in the transaction of the caller if there is one.
	 */
	public void write(String account, String what, @Nullable BigDecimal amount) {
		this.database.sql("insert into ledger (account, what, amount) values (?, ?, ?)")
			.param(account)
			.param(what)
			.param(amount)
			.update();
	}

	/**
	 * The latest lines, newest first.
	 */
	public List<LedgerLine> latest(int limit) {
		return this.database.sql("select id, at, account, what, amount from ledger order by id desc limit ?")
			.param(limit)
			.query(Ledger::line)
			.list();
	}

	private static LedgerLine line(ResultSet row, int number) throws SQLException {
		return new LedgerLine(row.getLong("id"), row.getTimestamp("at").toInstant(), row.getString("account"),
				row.getString("what"), row.getBigDecimal("amount"));
	}

}
