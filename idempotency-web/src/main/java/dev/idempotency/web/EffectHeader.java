package dev.idempotency.web;

import java.util.Locale;

import dev.idempotency.Effect;
import jakarta.servlet.http.HttpServletResponse;

/**
 * What the {@code Idempotency-Effect} header of an answer says.
 */
enum EffectHeader {

	CREATED, UPDATED, DELETED, EXECUTED, NOOP, NONE, WOULD_CREATE, WOULD_UPDATE, WOULD_DELETE, WOULD_EXECUTE,
	WOULD_REPLAY, WOULD_CONFLICT, WOULD_REJECT;

	static final String NAME = "Idempotency-Effect";

	private final String value = name().toLowerCase(Locale.ROOT);

	/**
	 * The effect of a handler that has run. One that answers with an error has executed,
	 * whatever it was meant to do.
	 */
	static EffectHeader of(Effect effect, String method, int status) {
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
		if (status == HttpServletResponse.SC_CREATED) {
			return CREATED;
		}
		return switch (method) {
			case "PUT", "PATCH" -> UPDATED;
			case "DELETE" -> DELETED;
			default -> EXECUTED;
		};
	}

	EffectHeader onDryRun() {
		return switch (this) {
			case CREATED -> WOULD_CREATE;
			case UPDATED -> WOULD_UPDATE;
			case DELETED -> WOULD_DELETE;
			default -> WOULD_EXECUTE;
		};
	}

	String value() {
		return this.value;
	}

	void writeTo(HttpServletResponse response) {
		response.setHeader(NAME, this.value);
	}

}
