package dev.idempotency.http;

import dev.idempotency.core.Completion;
import dev.idempotency.core.Execution;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * An answer as it is stored.
 */
public final class EncodedAnswer {

	private final StoredResult result;

	EncodedAnswer(StoredResult result) {
		this.result = result;
	}

	/**
	 * Stores the answer as the result of an execution.
	 * @param execution the execution, which has ended then
	 * @param transaction the transaction that the work was done in, which has ended then
	 * too, or {@code null}
	 * @return what became of it
	 */
	public Completion complete(Execution execution, @Nullable Transaction transaction) {
		return (transaction != null) ? execution.completeWith(transaction, this.result)
				: execution.completeWith(this.result);
	}

	/**
	 * The answer as a result of any kind.
	 * @return the result, neither compressed nor encrypted
	 */
	public StoredResult result() {
		return this.result;
	}

}
