package dev.idempotency.autoconfigure;

import dev.idempotency.test.CallerTransaction;
import dev.idempotency.test.JoiningStoreContract;
import dev.idempotency.test.PurgeableStoreContract;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The JDBC store, in the transactions of the application.
 */
abstract class ConfiguredJdbcContract extends ConfiguredStoreContract
		implements JoiningStoreContract, PurgeableStoreContract {

	abstract String url();

	@Override
	String[] settings() {
		return new String[] { "--idempotency.store=jdbc", "--spring.datasource.url=" + url() };
	}

	@Override
	public CallerTransaction transaction() {
		TransactionTemplate transaction = new TransactionTemplate(bean(PlatformTransactionManager.class));
		return new CallerTransaction() {

			@Override
			public void commitAfter(Runnable work) {
				transaction.executeWithoutResult((status) -> work.run());
			}

			@Override
			public void rollBackAfter(Runnable work) {
				transaction.executeWithoutResult((status) -> {
					work.run();
					status.setRollbackOnly();
				});
			}

		};
	}

}
