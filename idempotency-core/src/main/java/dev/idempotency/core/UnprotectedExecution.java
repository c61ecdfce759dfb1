package dev.idempotency.core;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Transactions.Ending;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * An execution without a claim and without a record in the store.
 */
final class UnprotectedExecution extends Execution {

	private final IdempotencyKey key;

	UnprotectedExecution(IdempotencyKey key) {
		this.key = key;
	}

	@Override
	public IdempotencyKey key() {
		return this.key;
	}

	@Override
	public int attempt() {
		return 1;
	}

	@Override
	public Completion complete(byte @Nullable [] payload) {
		return Completion.UNPROTECTED;
	}

	@Override
	public Completion completeWith(StoredResult result) {
		return Completion.UNPROTECTED;
	}

	@Override
	public Completion completeWith(Transaction transaction, StoredResult result) {
		return completeIn(transaction, null);
	}

	@Override
	public Completion completeIn(Transaction transaction, byte @Nullable [] payload) {
		try {
			transaction.commit();
			return Completion.UNPROTECTED;
		}
		catch (RuntimeException ex) {
			return Completion.unknown(ex);
		}
		catch (Error ex) {
			FirstFailure.then(ex, transaction::rollBack);
			throw ex;
		}
	}

	@Override
	public Completion closeIn(Transaction transaction) {
		return completeIn(transaction, null);
	}

	@Override
	public Completion holdTransaction() {
		return Completion.UNPROTECTED;
	}

	@Override
	public Completion joinTransaction(byte @Nullable [] payload) {
		return Completion.UNPROTECTED;
	}

	@Override
	public void transactionEnded(Ending ending) {
		// Nothing was claimed
	}

	@Override
	public void hasSteps() {
		// Nothing is stored
	}

	@Override
	public void resultIsNeeded() {
		// Nothing is stored
	}

	@Override
	public void outcomeIsUnknown() {
		// There is no next attempt
	}

	@Override
	public void workFailed(Throwable failure) {
		// There is no next attempt
	}

	@Override
	public void letLeaseRunOut() {
		// There is none
	}

	@Override
	public void close() {
		// Nothing was claimed
	}

}
