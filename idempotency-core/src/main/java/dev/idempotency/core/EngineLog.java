package dev.idempotency.core;

/**
 * The logger of the engine and its internal classes: operators know only the engine.
 */
final class EngineLog {

	static final String NAME = "dev.idempotency.core.IdempotencyEngine";

	private EngineLog() {
	}

}
