package dev.idempotency.method;

import org.jspecify.annotations.Nullable;

/**
 * The transaction that a method begins for itself. What is thrown after its commit, such
 * as by a listener that hears of it, undoes nothing.
 */
class OwnTransaction implements AutoCloseable {

	/**
	 * There is none.
	 */
	static final OwnTransaction NONE = new OwnTransaction();

	private boolean committed;

	/**
	 * Whether all that the method did counts.
	 */
	final boolean isCommitted() {
		return this.committed;
	}

	final void committed() {
		this.committed = true;
	}

	/**
	 * Whether a transaction is the one that is expected.
	 * @param manager who manages it
	 * @param earlier the one that its thread was in before
	 */
	boolean isThisOne(Object manager, @Nullable Object earlier) {
		return false;
	}

	/**
	 * The method has ended.
	 */
	@Override
	public void close() {
		// Nobody waits for it
	}

}
