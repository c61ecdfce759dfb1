package dev.idempotency.http;

import java.util.Locale;

import dev.idempotency.Effect;

/**
 * The values of the {@code Idempotency-Effect} header of a response.
 */
public enum EffectHeader {

	CREATED, UPDATED, DELETED, EXECUTED, NOOP, NONE, WOULD_CREATE, WOULD_UPDATE, WOULD_DELETE, WOULD_EXECUTE,
	WOULD_REPLAY, WOULD_CONFLICT, WOULD_REJECT;

	/**
	 * The name of the header.
	 */
	public static final String NAME = "Idempotency-Effect";

	private final String value = name().toLowerCase(Locale.ROOT);

	/**
	 * The effect of a handler that has run. One that responds with an error has executed,
	 * whatever it was meant to do.
	 * @param effect what the handler says it does
	 * @param method the method of the request
	 * @param status the status of the response
	 */
	public static EffectHeader of(Effect effect, String method, int status) {
		if (status >= 400) {
			return EXECUTED;
		}
		return switch (effect) {
			case CREATED -> CREATED;
			case UPDATED -> UPDATED;
			case DELETED -> DELETED;
			case EXECUTED -> EXECUTED;
			case INFERRED -> inferred(method, status);
		};
	}

	private static EffectHeader inferred(String method, int status) {
		if (status == 201) {
			return CREATED;
		}
		return switch (method) {
			case "PUT", "PATCH" -> UPDATED;
			case "DELETE" -> DELETED;
			default -> EXECUTED;
		};
	}

	/**
	 * The effect of a handler whose work was rolled back.
	 */
	public EffectHeader onDryRun() {
		return switch (this) {
			case CREATED -> WOULD_CREATE;
			case UPDATED -> WOULD_UPDATE;
			case DELETED -> WOULD_DELETE;
			default -> WOULD_EXECUTE;
		};
	}

	/**
	 * The value of the header.
	 */
	public String value() {
		return this.value;
	}

}
