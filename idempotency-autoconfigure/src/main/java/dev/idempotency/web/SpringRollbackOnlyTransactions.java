package dev.idempotency.web;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Transactions of a Spring transaction manager. Work that insists on a transaction of its
 * own ({@code REQUIRES_NEW}), or uses another manager, is not rolled back.
 */
public final class SpringRollbackOnlyTransactions implements RollbackOnlyTransactions {

	private final PlatformTransactionManager transactionManager;

	/**
	 * Create transactions.
	 * @param transactionManager the manager that handlers use
	 */
	public SpringRollbackOnlyTransactions(PlatformTransactionManager transactionManager) {
		this.transactionManager = transactionManager;
	}

	@Override
	public Rollback begin() {
		TransactionStatus status = this.transactionManager
			.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		return () -> this.transactionManager.rollback(status);
	}

}
