package dev.idempotency.http;

/**
 * How clients may write the key in its header.
 */
public enum KeySyntax {

	/**
	 * Quoted, as a structured-field string, or bare, as most clients send it: both mean
	 * the same key.
	 */
	LENIENT,

	/**
	 * Quoted only, as in the IETF draft.
	 */
	STRICT

}
