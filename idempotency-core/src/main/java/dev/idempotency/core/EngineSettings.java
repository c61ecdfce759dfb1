package dev.idempotency.core;

import java.time.Duration;
import java.util.Objects;

import dev.idempotency.CoreSetting;
import dev.idempotency.Explanation;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyScope;

/**
 * What holds for every operation of an application.
 *
 * @param namespace keeps the keys of applications apart that share a store
 * @param mode whether decisions are enforced
 * @param onStoreFailure what becomes of an operation when the store cannot be asked
 * @param packing how results are kept in the store
 * @param afterClose for how long the leases of what is still in progress are renewed
 * after the engine was closed
 */
public record EngineSettings(String namespace, Mode mode, OnStoreFailure onStoreFailure, ResultPacking packing,
		Duration afterClose) {

	/**
	 * For how long Spring waits in each phase of a shutdown, unless told otherwise.
	 */
	private static final Duration SHUTDOWN_PHASE = Duration.ofSeconds(30);

	public EngineSettings {
		if (namespace.isBlank()) {
			throw new IdempotencyConfigurationException(Explanation.of("%s must not be blank", CoreSetting.NAMESPACE),
					Explanation.of("Leave it out to use the application's name."));
		}
		try {
			IdempotencyScope.of("any").within(namespace);
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException(Explanation
				.of("%s, or the application's name, cannot be used (%s)", CoreSetting.NAMESPACE, ex.getMessage()),
					Explanation.of("Write a short name."));
		}
		Objects.requireNonNull(mode, "mode must not be null");
		Objects.requireNonNull(onStoreFailure, "onStoreFailure must not be null");
		Objects.requireNonNull(packing, "packing must not be null");
		if (afterClose.isNegative()) {
			throw new IllegalArgumentException("afterClose must not be negative: %s".formatted(afterClose));
		}
	}

	/**
	 * Settings that renew leases for half a minute after the engine was closed.
	 */
	public EngineSettings(String namespace, Mode mode, OnStoreFailure onStoreFailure, ResultPacking packing) {
		this(namespace, mode, onStoreFailure, packing, SHUTDOWN_PHASE);
	}

	/**
	 * Settings that enforce every decision and run nothing when the store fails.
	 * @param namespace keeps the keys of applications apart that share a store
	 * @return the settings
	 */
	public static EngineSettings of(String namespace) {
		return new EngineSettings(namespace, Mode.ENFORCE, OnStoreFailure.REJECT, ResultPacking.none());
	}

	/**
	 * Whether decisions are enforced.
	 */
	public enum Mode {

		/**
		 * What was decided happens.
		 */
		ENFORCE,

		/**
		 * Every operation runs; what would have been decided is counted and logged.
		 */
		OBSERVE

	}

	/**
	 * What becomes of an operation when the store cannot be asked.
	 */
	public enum OnStoreFailure {

		/**
		 * It does not run.
		 */
		REJECT,

		/**
		 * It runs without protection.
		 */
		PROCEED

	}

}
