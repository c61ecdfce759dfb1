package dev.idempotency.transactions;

import dev.idempotency.IdempotencyContext;

import org.springframework.core.Ordered;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets a fate strike the transaction that the calling thread is in.
 */
final class Strikes {

	private final Stage stage;

	Strikes(Stage stage) {
		this.stage = stage;
	}

	/**
	 * Strikes.
	 * @param fate the fate
	 * @param rollBackOnly how to say that the transaction is to be rolled back
	 */
	void strike(Fate fate, Runnable rollBackOnly) {
		switch (fate) {
			case COMMIT -> {
			}
			case ROLLBACK_ONLY -> rollBackOnly.run();
			case METHOD_MARKS_AND_RETURNS -> TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
			case CLAIM_LOST -> this.stage.takeOver(IdempotencyContext.current().key());
			case METHOD_THROWS, METHOD_THROWS_CALLER_GOES_ON, CALLER_THROWS -> throw new Failure();
			case METHOD_THROWS_ERROR, CALLER_THROWS_ERROR -> throw new Broken();
			case SYNCHRONIZATION_THROWS -> register(new Last() {

				@Override
				public void beforeCommit(boolean readOnly) {
					throw new Failure();
				}

			});
			case SYNCHRONIZATION_THROWS_ERROR -> register(new Last() {

				@Override
				public void beforeCommit(boolean readOnly) {
					throw new Broken();
				}

			});
			case AFTER_COMMIT_THROWS -> register(new Last() {

				@Override
				public void afterCommit() {
					throw new Failure();
				}

			});
			case AFTER_COMMIT_THROWS_ERROR -> register(new Last() {

				@Override
				public void afterCommit() {
					throw new Broken();
				}

			});
			case LISTENER_THROWS -> this.stage.parts().lastMoment().prepare(() -> {
				throw new Failure();
			});
			case LISTENER_THROWS_ERROR -> this.stage.parts().lastMoment().prepare(() -> {
				throw new Broken();
			});
			case DEFERRED_CONSTRAINT -> this.stage.parts()
				.jdbc()
				.update("insert into work (id, cell, parent) values ('orphan', 'nobody', 'nobody')");
			case FLUSH_FAILS -> this.stage.workInVain("nobody");
			case CONNECTION_KILLED -> this.stage.killConnection();
			case CONNECTION_KILLED_AT_COMMIT -> this.stage.parts().lastMoment().prepare(this.stage::killConnection);
		}
	}

	private static void register(TransactionSynchronization synchronization) {
		TransactionSynchronizationManager.registerSynchronization(synchronization);
	}

	/**
	 * Is asked after all that were there before.
	 */
	private abstract static class Last implements TransactionSynchronization {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

	}

	/**
	 * A failure that is intended.
	 */
	static final class Failure extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private Failure() {
			super("intended");
		}

	}

	/**
	 * An error that is intended.
	 */
	static final class Broken extends Error {

		private static final long serialVersionUID = 1L;

		private Broken() {
			super("intended");
		}

	}

}
