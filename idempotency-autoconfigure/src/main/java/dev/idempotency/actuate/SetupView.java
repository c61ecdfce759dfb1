package dev.idempotency.actuate;

import java.time.Duration;

import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.OperationPolicy;

/**
 * How an application is set up.
 *
 * @param store what remembers
 * @param namespace keeps its keys apart from those of others
 * @param mode whether decisions are enforced
 * @param onStoreFailure what becomes of an operation when the store fails
 * @param ttl how long results are remembered
 * @param lease how long claims hold
 * @param maxReplays how often a result is given out again; 0 without a limit
 */
public record SetupView(String store, String namespace, EngineSettings.Mode mode,
		EngineSettings.OnStoreFailure onStoreFailure, Duration ttl, Duration lease, int maxReplays) {

	/**
	 * Describes an application.
	 * @param store what remembers, for people
	 * @param settings what holds for every operation
	 * @param policy what holds for operations that say nothing else
	 */
	public static SetupView of(String store, EngineSettings settings, OperationPolicy policy) {
		return new SetupView(store, settings.namespace(), settings.mode(), settings.onStoreFailure(), policy.ttl(),
				policy.lease(), policy.maxReplays());
	}

}
