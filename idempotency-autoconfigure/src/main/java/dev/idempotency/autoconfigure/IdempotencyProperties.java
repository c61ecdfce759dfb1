package dev.idempotency.autoconfigure;

import java.time.Duration;

import dev.idempotency.OnCrash;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.store.memory.MemoryLimits;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings under {@code idempotency}.
 *
 * @param enabled Whether operations are protected.
 * @param mode Whether decisions are enforced, or everything runs and what would have been
 * decided is counted and logged.
 * @param store Which store remembers; by default the only one there is.
 * @param namespace Keeps the keys of applications apart that share a store. Defaults to
 * the name of the application.
 * @param ttl How long a result is remembered.
 * @param lease How long a claim holds after its process died.
 * @param waitTimeout How long a request waits for its running twin, where it waits at
 * all.
 * @param onStoreFailure What becomes of an operation when the store cannot be reached.
 * @param maxReplays How often a result is given out again; 0 means without a limit.
 * @param memory Settings of the store in memory.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue("enforce") EngineSettings.Mode mode, @DefaultValue("auto") StoreType store,
		@Nullable String namespace, @DefaultValue("24h") Duration ttl, @DefaultValue("30s") Duration lease,
		@DefaultValue("10s") Duration waitTimeout, @DefaultValue("reject") EngineSettings.OnStoreFailure onStoreFailure,
		@DefaultValue("0") int maxReplays, @DefaultValue Memory memory) {

	public IdempotencyProperties {
		new OperationPolicy(ttl, lease, OnCrash.RETRY, waitTimeout, maxReplays);
	}

	/**
	 * How an operation is protected that says nothing else.
	 * @return the policy
	 */
	public OperationPolicy defaultPolicy() {
		return OperationPolicy.of(this.ttl, this.lease).withMaxReplays(this.maxReplays);
	}

	/**
	 * Which store remembers.
	 */
	public enum StoreType {

		/**
		 * The only one there is.
		 */
		AUTO,

		/**
		 * The memory of this process.
		 */
		MEMORY

	}

	/**
	 * Settings of the store in memory.
	 *
	 * @param maxEntries How many results are remembered at most.
	 * @param maxSize How much memory they take at most.
	 */
	public record Memory(@DefaultValue("100000") long maxEntries, @DefaultValue("64MB") DataSize maxSize) {

		public Memory {
			new MemoryLimits(maxEntries, maxSize.toBytes());
		}

		MemoryLimits limits() {
			return new MemoryLimits(this.maxEntries, this.maxSize.toBytes());
		}

	}

}
