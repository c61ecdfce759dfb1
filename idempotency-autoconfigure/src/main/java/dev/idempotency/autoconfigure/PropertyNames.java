package dev.idempotency.autoconfigure;

import dev.idempotency.CoreSetting;
import dev.idempotency.Setting;
import dev.idempotency.store.jdbc.DatabaseSetting;
import dev.idempotency.store.redis.RedisSetting;
import dev.idempotency.http.WebSetting;

/**
 * The names of settings in a Spring Boot application: properties and beans. Only this
 * module knows them.
 */
final class PropertyNames {

	private PropertyNames() {
	}

	static String of(Setting setting) {
		if (setting instanceof CoreSetting core) {
			return of(core);
		}
		if (setting instanceof DatabaseSetting database) {
			return of(database);
		}
		if (setting instanceof RedisSetting redis) {
			return of(redis);
		}
		// Settings of custom stores are not our properties
		return (setting instanceof WebSetting web) ? of(web) : setting.words();
	}

	/**
	 * The same setting of one operation.
	 */
	static String of(Setting setting, String operation) {
		String name = of(setting);
		return "%s.[%s]%s".formatted(OperationProperties.PREFIX, operation, name.substring(name.lastIndexOf('.')));
	}

	private static String of(CoreSetting setting) {
		return switch (setting) {
			case TTL -> "idempotency.ttl";
			case LEASE -> "idempotency.lease";
			case WAIT_TIMEOUT -> "idempotency.wait-timeout";
			case MAX_WAITING -> "idempotency.max-waiting";
			case MAX_REPLAYS -> "idempotency.max-replays";
			case MAX_REQUEST_BODY -> "idempotency.http.max-request-body";
			case MAX_RESPONSE_BODY -> "idempotency.http.max-response-body";
			case NAMESPACE -> "idempotency.namespace";
			case ENCRYPTION_KEY -> "idempotency.encryption.key";
			case PREVIOUS_ENCRYPTION_KEYS -> "idempotency.encryption.previous-keys";
			case COMPRESSION_THRESHOLD -> "idempotency.compression.threshold";
			case PURGE_INTERVAL -> "idempotency.purge.interval";
			case PURGE_BATCH -> "idempotency.purge.batch";
			case MEMORY_ENTRIES -> "idempotency.memory.max-entries";
			case MEMORY_SIZE -> "idempotency.memory.max-size";
			case JOINING_STORE -> "idempotency.store=jdbc";
			case TRANSACTION_MANAGER -> "a PlatformTransactionManager bean";
		};
	}

	private static String of(DatabaseSetting setting) {
		return switch (setting) {
			case TABLE -> "idempotency.jdbc.table";
			case TIMEOUT -> "idempotency.jdbc.timeout";
			case INITIALIZE_SCHEMA -> "idempotency.jdbc.initialize-schema";
		};
	}

	private static String of(RedisSetting setting) {
		return switch (setting) {
			case REPLICAS -> "idempotency.redis.wait-for-replicas";
			case CLIENT -> "spring.data.redis.client-type";
		};
	}

	private static String of(WebSetting setting) {
		return switch (setting) {
			case FINGERPRINT -> "idempotency.http.fingerprint";
			case UNPROTECTED -> "idempotency.http.unprotected";
		};
	}

}
