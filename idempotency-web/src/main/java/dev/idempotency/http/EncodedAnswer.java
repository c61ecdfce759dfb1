package dev.idempotency.http;

import dev.idempotency.core.Completion;
import dev.idempotency.core.Execution;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A response as it is stored.
 */
public final class EncodedAnswer {

	private final StoredResult result;

	EncodedAnswer(StoredResult result) {
		this.result = result;
	}

	/**
	 * Stores the response as the result of an execution.
	 * @param execution the execution, which ends
	 * @param transaction the transaction of the work, which ends too, or {@code null}
	 * @return the outcome
	 */
	public Completion complete(Execution execution, @Nullable Transaction transaction) {
		return (transaction != null) ? execution.completeWith(transaction, this.result)
				: execution.completeWith(this.result);
	}

	/**
	 * The response as a stored result.
	 * @return the result, neither compressed nor encrypted
	 */
	public StoredResult result() {
		return this.result;
	}

}
