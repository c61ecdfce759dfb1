package dev.idempotency.actuate;

import java.time.Duration;

import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.OperationPolicy;

import org.springframework.boot.actuate.endpoint.Access;

/**
 * The settings of an application.
 *
 * @param store the name of the store
 * @param namespace the namespace of its keys
 * @param mode whether decisions are enforced
 * @param onStoreFailure what happens to an operation when the store fails
 * @param ttl how long results are remembered
 * @param lease the lease of claims
 * @param maxReplays how often a result is replayed; 0 without a limit
 * @param access whether the endpoint may change records
 */
public record SetupView(String store, String namespace, EngineSettings.Mode mode,
		EngineSettings.OnStoreFailure onStoreFailure, Duration ttl, Duration lease, int maxReplays, Access access) {

	/**
	 * Describes an application.
	 * @param store the name of the store
	 * @param settings the settings of the engine
	 * @param policy the policy of operations without settings of their own
	 * @param access whether the endpoint may change records
	 */
	public static SetupView of(String store, EngineSettings settings, OperationPolicy policy, Access access) {
		return new SetupView(store, settings.namespace(), settings.mode(), settings.onStoreFailure(), policy.ttl(),
				policy.lease(), policy.maxReplays(), access);
	}

}
