package dev.idempotency.guides;

/**
 * The bank will not give it back, today or tomorrow.
 */
class NotRefundableException extends Exception {

	private static final long serialVersionUID = 1L;

	NotRefundableException(String message) {
		super(message);
	}

}
