package dev.idempotency.method;

import org.jspecify.annotations.Nullable;

/**
 * The transaction that a method begins for itself. An exception after its commit, such as
 * that of a listener, undoes nothing.
 */
class OwnTransaction implements AutoCloseable {

	/**
	 * No transaction.
	 */
	static final OwnTransaction NONE = new OwnTransaction();

	private boolean committed;

	/**
	 * Whether the transaction was committed.
	 */
	final boolean isCommitted() {
		return this.committed;
	}

	final void committed() {
		this.committed = true;
	}

	/**
	 * Whether a transaction is the expected one.
	 * @param manager its manager
	 * @param earlier the earlier transaction of its thread
	 */
	boolean isThisOne(Object manager, @Nullable Object earlier) {
		return false;
	}

	/**
	 * The method has ended.
	 */
	@Override
	public void close() {
		// Nothing to reset
	}

}
