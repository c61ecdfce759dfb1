package dev.idempotency.autoconfigure;

import dev.idempotency.core.Transactions;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transactions of a Spring transaction manager. Work in a transaction of its own
 * ({@code REQUIRES_NEW}), or with another manager, does not take part.
 */
final class SpringTransactions implements Transactions {

	private final PlatformTransactionManager transactionManager;

	SpringTransactions(PlatformTransactionManager transactionManager) {
		this.transactionManager = transactionManager;
	}

	@Override
	public Object manager() {
		return this.transactionManager;
	}

	@Override
	public Transaction begin() {
		boolean joinsWhatIsBound = !TransactionSynchronizationManager.getResourceMap().isEmpty();
		TransactionStatus status = this.transactionManager
			.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		return new Transaction() {

			@Override
			public void commit() {
				SpringTransactions.this.transactionManager.commit(status);
			}

			@Override
			public void rollBack() {
				SpringTransactions.this.transactionManager.rollback(status);
			}

			@Override
			public boolean endsWithHandler() {
				return joinsWhatIsBound;
			}

		};
	}

}
