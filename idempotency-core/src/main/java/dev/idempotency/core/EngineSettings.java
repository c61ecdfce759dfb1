package dev.idempotency.core;

import java.time.Duration;
import java.util.Objects;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyScope;

/**
 * The settings of an engine, which apply to every operation of an application.
 *
 * @param namespace separates the keys of applications that share a store
 * @param mode whether decisions are enforced
 * @param onStoreFailure what happens to an operation when the store fails
 * @param packing how results are compressed and encrypted
 * @param afterClose how long the leases of executions in progress are renewed after the
 * engine is closed
 * @param maxWaiting how many threads may wait for keys in progress at once. Further
 * attempts do not wait: the threads that they hold might be those that the attempts in
 * progress need to end
 */
public record EngineSettings(String namespace, Mode mode, OnStoreFailure onStoreFailure, ResultPacking packing,
		Duration afterClose, int maxWaiting) {

	/**
	 * How long Spring waits in each phase of a shutdown by default.
	 */
	private static final Duration SHUTDOWN_PHASE = Duration.ofSeconds(30);

	public EngineSettings {
		if (namespace.isBlank()) {
			throw new IdempotencyConfigurationException("idempotency.namespace must not be blank",
					"Leave it out to use the application's name.");
		}
		try {
			IdempotencyScope.of("any").within(namespace);
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException(
					"idempotency.namespace, or the application's name, cannot be used (%s)".formatted(ex.getMessage()),
					"Write a short name.");
		}
		Objects.requireNonNull(mode, "mode must not be null");
		Objects.requireNonNull(onStoreFailure, "onStoreFailure must not be null");
		Objects.requireNonNull(packing, "packing must not be null");
		if (afterClose.isNegative()) {
			throw new IllegalArgumentException("afterClose must not be negative: %s".formatted(afterClose));
		}
		if (maxWaiting < 0) {
			throw new IdempotencyConfigurationException(
					"idempotency.max-waiting must not be negative, but is %s".formatted(maxWaiting),
					"Write how many threads may wait, or leave it out.");
		}
	}

	/**
	 * Settings that renew leases for half a minute after the engine is closed, and let
	 * any number of threads wait.
	 */
	public EngineSettings(String namespace, Mode mode, OnStoreFailure onStoreFailure, ResultPacking packing) {
		this(namespace, mode, onStoreFailure, packing, SHUTDOWN_PHASE, Integer.MAX_VALUE);
	}

	/**
	 * Settings that enforce every decision and run nothing when the store fails.
	 * @param namespace separates the keys of applications that share a store
	 */
	public static EngineSettings of(String namespace) {
		return new EngineSettings(namespace, Mode.ENFORCE, OnStoreFailure.REJECT, ResultPacking.none());
	}

	/**
	 * Whether decisions are enforced.
	 */
	public enum Mode {

		/**
		 * Decisions are enforced.
		 */
		ENFORCE,

		/**
		 * Every operation runs; the decisions are counted and logged.
		 */
		OBSERVE

	}

	/**
	 * What happens to an operation when the store fails.
	 */
	public enum OnStoreFailure {

		/**
		 * The operation does not run.
		 */
		REJECT,

		/**
		 * The operation runs without protection.
		 */
		PROCEED

	}

}
