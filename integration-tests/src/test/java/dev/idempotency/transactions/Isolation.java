package dev.idempotency.transactions;

import org.springframework.transaction.TransactionDefinition;

/**
 * How much a transaction sees of others.
 */
enum Isolation {

	READ_COMMITTED(TransactionDefinition.ISOLATION_READ_COMMITTED),

	REPEATABLE_READ(TransactionDefinition.ISOLATION_REPEATABLE_READ),

	SERIALIZABLE(TransactionDefinition.ISOLATION_SERIALIZABLE),

	/**
	 * MariaDB's repeatable read with {@code innodb_snapshot_isolation}, its default from
	 * 11.8 on: what others have changed since cannot be changed.
	 */
	SNAPSHOT(TransactionDefinition.ISOLATION_REPEATABLE_READ);

	private final int level;

	Isolation(int level) {
		this.level = level;
	}

	/**
	 * The level as transactions are asked for it.
	 */
	int level() {
		return this.level;
	}

	/**
	 * The level as a pool is asked for it.
	 */
	String ofPool() {
		return "TRANSACTION_" + ((this == SNAPSHOT) ? REPEATABLE_READ : this);
	}

}
