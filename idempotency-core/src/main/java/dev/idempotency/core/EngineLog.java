package dev.idempotency.core;

/**
 * Where the engine and its parts log: whoever operates it knows no parts.
 */
final class EngineLog {

	static final String NAME = "dev.idempotency.core.IdempotencyEngine";

	private EngineLog() {
	}

}
