package dev.idempotency.store.jdbc;

import javax.sql.DataSource;

import dev.idempotency.test.CallerTransaction;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A transaction that may have read something before all else: what it sees of the
 * database may be settled by that.
 */
final class JdbcCallerTransaction implements CallerTransaction {

	private final JdbcTemplate jdbc;

	private final boolean reads;

	private final TransactionTemplate whole;

	private final TransactionTemplate part;

	/**
	 * Create a transaction.
	 * @param isolation its isolation, as Spring numbers them
	 * @param reads whether it reads something before all else
	 */
	JdbcCallerTransaction(DataSource dataSource, int isolation, boolean reads) {
		this.reads = reads;
		JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
		this.jdbc = new JdbcTemplate(dataSource);
		this.whole = new TransactionTemplate(manager);
		this.whole.setIsolationLevel(isolation);
		this.part = new TransactionTemplate(manager);
		this.part.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
	}

	/**
	 * Creates what is read.
	 */
	static void prepare(DataSource dataSource) {
		new JdbcTemplate(dataSource).execute("create table if not exists something_to_read (id integer)");
	}

	@Override
	public void commitAfter(Runnable work) {
		this.whole.executeWithoutResult((status) -> {
			read();
			work.run();
		});
	}

	@Override
	public void rollBackAfter(Runnable work) {
		this.whole.executeWithoutResult((status) -> {
			read();
			work.run();
			status.setRollbackOnly();
		});
	}

	@Override
	public void undoAfter(Runnable work) {
		this.part.executeWithoutResult((status) -> {
			work.run();
			status.setRollbackOnly();
		});
	}

	private void read() {
		if (this.reads) {
			this.jdbc.queryForList("select id from something_to_read");
		}
	}

}
