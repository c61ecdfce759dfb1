package dev.idempotency.torture;

import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * What steps have done to the world, and a journal of when they did: each line is
 * committed at once. Nothing keeps a step from leaving its effect twice.
 */
final class StepLedger implements AutoCloseable {

	private final SingleConnectionDataSource dataSource;

	private final JdbcTemplate jdbc;

	StepLedger(String url) {
		this.dataSource = new SingleConnectionDataSource(url, true);
		this.jdbc = new JdbcTemplate(this.dataSource);
	}

	void create() {
		this.jdbc.execute("create table ledger (id bigserial primary key, task text, step int, result text)");
		this.jdbc.execute("create table journal (id bigserial primary key, worker text, task text, step int, "
				+ "what text, attempt int, result text)");
	}

	void append(String task, int step, String result) {
		this.jdbc.update("insert into ledger (task, step, result) values (?, ?, ?)", task, step, result);
	}

	/**
	 * The results of a step that are in the ledger.
	 */
	List<String> find(String task, int step) {
		return this.jdbc.queryForList("select result from ledger where task = ? and step = ? order by id", String.class,
				task, step);
	}

	void started(String worker, String task, int step, int attempt) {
		this.jdbc.update("insert into journal (worker, task, step, what, attempt) values (?, ?, ?, 'started', ?)",
				worker, task, step, attempt);
	}

	void returned(String worker, String task, int step, String result) {
		this.jdbc.update("insert into journal (worker, task, step, what, result) values (?, ?, ?, 'returned', ?)",
				worker, task, step, result);
	}

	List<Effect> effects() {
		return this.jdbc.query("select task, step, result from ledger order by id",
				(row, number) -> new Effect(row.getString(1), row.getInt(2), row.getString(3)));
	}

	/**
	 * The journal in the order of its lines.
	 */
	List<Line> journal() {
		return this.jdbc.query(
				"select worker, task, step, what = 'started', attempt, coalesce(result, '') from journal order by id",
				(row, number) -> new Line(row.getString(1), row.getString(2), row.getInt(3), row.getBoolean(4),
						row.getInt(5), row.getString(6)));
	}

	@Override
	public void close() {
		this.dataSource.destroy();
	}

	record Effect(String task, int step, String result) {
	}

	/**
	 * A line of the journal.
	 *
	 * @param started whether the work of the step began; otherwise its result was there
	 */
	record Line(String worker, String task, int step, boolean started, int attempt, String result) {
	}

}
