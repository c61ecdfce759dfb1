package dev.idempotency.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * The settings of one operation, under {@code idempotency.operations} and its name.
 *
 * @param ttl How long its keys and results are remembered, from the claim on.
 * @param lease How long a claim of it keeps other attempts out unless it is renewed.
 * @param waitTimeout How long an attempt waits for one that is in progress; 0 means not
 * at all.
 * @param maxReplays How often its result is replayed; 0 means no limit.
 * @param maxRequestBody Largest body of its requests.
 * @param maxResponseBody Largest body of its responses that is stored.
 * @param fingerprintExcludes JSON pointers to the parts of the body in which a retry may
 * differ, such as /sentAt.
 * @param storeEvents Whether its event streams are stored.
 */
public record OperationProperties(@Nullable Duration ttl, @Nullable Duration lease, @Nullable Duration waitTimeout,
		@Nullable Integer maxReplays, @Nullable DataSize maxRequestBody, @Nullable DataSize maxResponseBody,
		@Nullable List<String> fingerprintExcludes, @Nullable Boolean storeEvents) {

	static final String PREFIX = "idempotency.operations";

	private static final List<String> SETTINGS = List.of("ttl", "lease", "wait-timeout", "max-replays",
			"max-request-body", "max-response-body", "fingerprint-excludes", "store-events");

	/**
	 * The index of an element of the only setting that is a list, as a file or an
	 * environment variable writes it.
	 */
	private static final String INDEX = "(?<=(?i:excludes))(\\[\\d+]|[_.]\\d+)$";

	/**
	 * How to write a setting of an operation.
	 */
	static final String HOW_TO_WRITE = "Write the name of the operation in brackets, in YAML with quotes around them, such as "
			+ "\"[POST /payments]\", and below it one of %s.".formatted(String.join(", ", SETTINGS));

	/**
	 * Returns the settings of the operation.
	 * @param name the name of the operation
	 * @throws IdempotencyConfigurationException if a value cannot be used
	 */
	private OperationSettings settingsOf(String name) {
		try {
			OperationSettings settings = new OperationSettings(this.ttl, this.lease, this.waitTimeout, this.maxReplays,
					bytes(this.maxRequestBody), bytes(this.maxResponseBody), this.fingerprintExcludes,
					this.storeEvents);
			if (settings.forRequests() != null && !NamedOperations.isHttp(name)) {
				throw new IdempotencyConfigurationException(
						"%s is for requests, whose operations have names such as POST /payments"
							.formatted(settings.forRequests()),
						"Leave it out.");
			}
			return settings;
		}
		catch (IdempotencyConfigurationException ex) {
			throw new IdempotencyConfigurationException("%s.[%s].%s".formatted(PREFIX, name, ex.problem()),
					ex.remedy());
		}
	}

	/**
	 * Returns the settings of operations, by their names.
	 * @throws IdempotencyConfigurationException if a value cannot be used
	 */
	static NamedOperations named(Map<String, OperationProperties> operations) {
		Map<String, OperationSettings> settings = new HashMap<>();
		operations.forEach((name, operation) -> settings.put(name, operation.settingsOf(name)));
		return new NamedOperations(settings);
	}

	/**
	 * Returns the shortest lease in the settings.
	 */
	static Duration shortestLease(IdempotencyProperties properties) {
		Duration shortest = properties.lease();
		for (OperationProperties operation : properties.operations().values()) {
			if (operation.lease() != null && operation.lease().compareTo(shortest) < 0) {
				shortest = operation.lease();
			}
		}
		return shortest;
	}

	private static @Nullable Long bytes(@Nullable DataSize size) {
		return (size != null) ? size.toBytes() : null;
	}

	/**
	 * Checks that every property of operations was bound, to find a name without its
	 * brackets or a setting that does not exist.
	 * @throws IdempotencyConfigurationException if a property was not bound
	 */
	static void requireKnown(Set<String> operations, Environment environment) {
		Binder.get(environment)
			.bind(PREFIX, Bindable.mapOf(String.class, String.class))
			.orElseGet(Map::of)
			.keySet()
			.forEach((written) -> requireKnown(written, operations));
	}

	private static void requireKnown(String written, Set<String> operations) {
		boolean known = operations.stream()
			.filter((operation) -> written.startsWith(operation + "."))
			.map((operation) -> uniform(written.substring(operation.length()).replaceFirst(INDEX, "")))
			.anyMatch((rest) -> SETTINGS.stream().anyMatch((setting) -> uniform(setting).equals(rest)));
		if (!known) {
			throw new IdempotencyConfigurationException(
					"%s.%s is not a setting of an operation".formatted(PREFIX, written), HOW_TO_WRITE);
		}
	}

	/**
	 * Environment variables have other separators, or none.
	 */
	private static String uniform(String setting) {
		return setting.replaceAll("[-_.]", "").toLowerCase(Locale.ROOT);
	}

}
