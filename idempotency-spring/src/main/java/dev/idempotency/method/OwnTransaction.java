package dev.idempotency.method;

/**
 * The transaction, or the part of one up to a savepoint, that a method begins for itself.
 * An exception after its commit, such as that of a listener, undoes nothing. It can be
 * rolled back without an exception.
 */
class OwnTransaction implements AutoCloseable {

	/**
	 * No transaction.
	 */
	static final OwnTransaction NONE = new OwnTransaction();

	private boolean committed;

	private boolean rolledBack;

	/**
	 * Whether the transaction was committed. A savepoint that is kept is not.
	 */
	final boolean isCommitted() {
		return this.committed;
	}

	/**
	 * Whether nothing of the method's work is left.
	 */
	final boolean isRolledBack() {
		return this.rolledBack;
	}

	final void committed() {
		this.committed = true;
		this.rolledBack = false;
	}

	final void rolledBack() {
		this.rolledBack = true;
	}

	final void kept() {
		this.rolledBack = false;
	}

	/**
	 * The method has ended.
	 */
	@Override
	public void close() {
		// Nothing to reset
	}

}
