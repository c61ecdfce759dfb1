package dev.idempotency.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.OnCrash;
import dev.idempotency.client.KeyHeaders;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.PurgeSettings;
import dev.idempotency.core.ResultPacking;
import dev.idempotency.core.UnknownOutcomes;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.KeySyntax;
import dev.idempotency.http.KeyTime;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcSettings;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * The settings under {@code idempotency}.
 *
 * @param enabled Whether operations are protected. Otherwise everything runs each time,
 * and dry runs are refused.
 * @param mode Whether decisions are enforced, or everything runs and decisions are only
 * counted and logged.
 * @param store Which store to use; by default the only one that is available.
 * @param namespace Keeps the keys of applications apart that share a store. Defaults to
 * the name of the application, which needs one where the store may be shared.
 * @param ttl How long a key and its result are remembered, from the claim on.
 * @param lease How long a claim keeps other attempts out unless it is renewed, for
 * example after a crash.
 * @param waitTimeout How long an attempt waits for one that is in progress, with
 * onConflict = WAIT.
 * @param maxWaiting How many threads may wait for attempts in progress at once; further
 * attempts are refused. By default half of the threads of a servlet container, and no
 * limit elsewhere and with virtual threads.
 * @param onStoreFailure What happens to an operation when the store cannot be reached.
 * @param maxReplays How often a result is replayed; 0 means no limit.
 * @param unknownOn Exceptions after which it is unknown whether an operation did its
 * work, anywhere among the causes of its failure. The next attempt is told so, as after a
 * crash. By default timeouts and broken connections of clients.
 * @param operations Settings of single operations, by their names, such as POST
 * /payments: ttl, lease, wait-timeout, max-replays, max-request-body, max-response-body
 * and store-events.
 * @param encryption Encryption of stored results.
 * @param compression Compression of stored results.
 * @param http Settings of the HTTP edge.
 * @param memory Settings of the store in memory.
 * @param jdbc Settings of the store in a database.
 * @param redis Settings of the store in Redis.
 * @param tools Settings of tools of agents.
 * @param purge Removal of expired records, from stores that do not remove them
 * themselves.
 * @param client Keys of calls to other services.
 * @param reactive Threads for calls to the store by reactive callers, which must not
 * block.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue("enforce") EngineSettings.Mode mode, @DefaultValue("auto") StoreType store,
		@Nullable String namespace, @DefaultValue("24h") Duration ttl, @DefaultValue("30s") Duration lease,
		@DefaultValue("10s") Duration waitTimeout, @Nullable Integer maxWaiting,
		@DefaultValue("reject") EngineSettings.OnStoreFailure onStoreFailure, @DefaultValue("0") int maxReplays,
		@Nullable List<String> unknownOn, @DefaultValue Map<String, OperationProperties> operations,
		@DefaultValue Encryption encryption, @DefaultValue Compression compression, @DefaultValue Http http,
		@DefaultValue Memory memory, @DefaultValue Jdbc jdbc, @DefaultValue Redis redis, @DefaultValue Tools tools,
		@DefaultValue Purge purge, @DefaultValue Client client, @DefaultValue Reactive reactive) {

	public IdempotencyProperties {
		new OperationPolicy(ttl, lease, OnCrash.RETRY, waitTimeout, maxReplays);
		unknownOn = (unknownOn != null) ? List.copyOf(unknownOn) : UnknownOutcomes.DEFAULT_TYPES;
		unknownOn.forEach(IdempotencyProperties::requireException);
		operations = Map.copyOf(operations);
		OperationProperties.named(operations);
	}

	/**
	 * Returns the policy of operations without settings of their own.
	 */
	public OperationPolicy defaultPolicy() {
		return OperationPolicy.of(this.ttl, this.lease)
			.withMaxReplays(this.maxReplays)
			.withUnknownOutcomes(UnknownOutcomes.NONE.and(Objects.requireNonNull(this.unknownOn)));
	}

	/**
	 * The types that count by default may be missing, and a native image may not have
	 * others by their names.
	 */
	private static void requireException(String type) {
		boolean known = UnknownOutcomes.DEFAULT_TYPES.contains(type) || NativeDetector.inNativeImage();
		try {
			known = known || Throwable.class.isAssignableFrom(ClassUtils.forName(type, null));
		}
		catch (ClassNotFoundException | LinkageError ex) {
			// It is misspelt, or its library is missing
		}
		if (!known) {
			throw new IdempotencyConfigurationException(
					"idempotency.unknown-on names %s, which is not an exception on the class path".formatted(type),
					"Write the full name of an exception, such as java.net.SocketTimeoutException.");
		}
	}

	/**
	 * Returns how results are compressed and encrypted in a store.
	 */
	ResultPacking packing(IdempotencyStore store) {
		ResultPacking packing = ResultPacking.none().withEncryption(this.encryption.key, this.encryption.previousKeys);
		DataSize threshold = this.compression.thresholdFor(store);
		return (threshold != null) ? packing.withCompression(threshold.toBytes()) : packing;
	}

	private static int bytes(DataSize size) {
		return Math.toIntExact(size.toBytes());
	}

	/**
	 * Which store to use.
	 */
	public enum StoreType {

		/**
		 * The only one that is available.
		 */
		AUTO,

		/**
		 * The memory of this process.
		 */
		MEMORY,

		/**
		 * The application's database.
		 */
		JDBC,

		/**
		 * Redis, or a server with its protocol.
		 */
		REDIS

	}

	/**
	 * What is compared between a request and its retry.
	 */
	public enum FingerprintType {

		/**
		 * Every byte of the body.
		 */
		BYTES,

		/**
		 * The body; in JSON, the order of members does not matter.
		 */
		CANONICAL_JSON,

		/**
		 * Nothing: only the key is compared.
		 */
		NONE

	}

	/**
	 * How a request tells when its key was first sent.
	 */
	public enum KeyAge {

		/**
		 * It does not: a key may be of any age.
		 */
		NONE,

		/**
		 * By the key: a UUID of version 7, or a ULID.
		 */
		KEY,

		/**
		 * By a header beside it: an HTTP date.
		 */
		HEADER

	}

	/**
	 * Settings of the HTTP edge.
	 *
	 * @param header Name of the header that carries the key.
	 * @param keySyntax How clients may write the key.
	 * @param fingerprint What is compared between a request and its retry.
	 * @param protect Which handlers are protected.
	 * @param unprotected What to do at startup about unprotected handlers for POST, PUT,
	 * PATCH and DELETE.
	 * @param maxRequestBody Largest body of a protected request.
	 * @param maxResponseBody Largest body of a response that is stored.
	 * @param excludedHeaders Headers of a response that are not stored, beside those that
	 * never are.
	 * @param problemBase What the type of each problem document begins with.
	 * @param documentationUrl Where clients read about keys; linked from each problem
	 * document.
	 * @param keyAge How a request tells when its key was first sent. A key that is older
	 * than its ttl and has no record is refused.
	 * @param firstSentHeader Name of the header that tells it, with key-age: header.
	 * @param expires Whether responses tell until when they are remembered, in the header
	 * Idempotency-Expires.
	 */
	public record Http(@DefaultValue("Idempotency-Key") String header, @DefaultValue("lenient") KeySyntax keySyntax,
			@DefaultValue("canonical-json") FingerprintType fingerprint,
			@DefaultValue("annotated") HttpSettings.Protect protect,
			@DefaultValue("ignore") HttpSettings.Unprotected unprotected, @DefaultValue("1MB") DataSize maxRequestBody,
			@DefaultValue("4MB") DataSize maxResponseBody, @DefaultValue List<String> excludedHeaders,
			@DefaultValue("urn:idempotency:") String problemBase, @Nullable URI documentationUrl,
			@DefaultValue("none") KeyAge keyAge, @DefaultValue("Repeatability-First-Sent") String firstSentHeader,
			@DefaultValue("false") boolean expires) {

		private static final String TOKEN_CHARACTERS = "!#$%&'*+-.^_`|~0123456789"
				+ "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

		private static final DataSize MAX_BODY = DataSize.ofBytes(StoredResult.MAX_SIZE);

		public Http {
			requireToken("idempotency.http.header", header);
			excludedHeaders.forEach((name) -> requireToken("idempotency.http.excluded-headers", name));
			requireToken("idempotency.http.first-sent-header", firstSentHeader);
			requireUri("idempotency.http.problem-base", problemBase);
			requireSize("idempotency.http.max-request-body", maxRequestBody);
			requireSize("idempotency.http.max-response-body", maxResponseBody);
		}

		HttpSettings settings() {
			return new HttpSettings(this.protect, this.unprotected, bytes(this.maxRequestBody),
					bytes(this.maxResponseBody), this.excludedHeaders, this.problemBase, this.documentationUrl,
					keyTime(), this.expires);
		}

		private @Nullable KeyTime keyTime() {
			return switch (this.keyAge) {
				case NONE -> null;
				case KEY -> new KeyTime(null);
				case HEADER -> new KeyTime(this.firstSentHeader);
			};
		}

		private static void requireToken(String setting, String name) {
			if (name.isEmpty() || name.chars().anyMatch((character) -> TOKEN_CHARACTERS.indexOf(character) < 0)) {
				throw new IdempotencyConfigurationException(
						"%s must be the name of a header, such as Idempotency-Key".formatted(setting),
						"Write letters, digits and hyphens.");
			}
		}

		private static void requireUri(String setting, String base) {
			try {
				URI.create(base + "key-missing");
			}
			catch (IllegalArgumentException ex) {
				throw new IdempotencyConfigurationException(
						"%s must be the beginning of a URI, but is \"%s\"".formatted(setting, base),
						"Write one such as urn:idempotency: or https://example.org/problems/.");
			}
		}

		private static void requireSize(String setting, DataSize size) {
			if (size.isNegative() || size.toBytes() == 0 || size.compareTo(MAX_BODY) > 0) {
				throw new IdempotencyConfigurationException(
						"%s must be between 1B and %dMB, but is %s".formatted(setting, MAX_BODY.toMegabytes(), size),
						"Write a size such as 1MB.");
			}
		}

	}

	/**
	 * Settings of the store in memory.
	 *
	 * @param maxEntries How many results are stored at most.
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

	/**
	 * Settings of the store in a database.
	 *
	 * @param dataSource Name of the DataSource bean. Defaults to the only one, or the
	 * primary one.
	 * @param renewalDataSource Name of the DataSource bean for the one connection that
	 * renews leases, so that handlers cannot take it. Defaults to one that is derived
	 * from the pool of the store.
	 * @param table Name of the table, with or without its schema. A second table has the
	 * same name with "_outcome" at its end.
	 * @param initializeSchema When to create the tables at startup.
	 * @param timeout How long to wait for a reply of the database.
	 */
	public record Jdbc(@Nullable String dataSource, @Nullable String renewalDataSource,
			@DefaultValue("idempotency_record") String table,
			@DefaultValue("embedded") InitializeSchema initializeSchema, @DefaultValue("5s") Duration timeout) {

		public Jdbc {
			new JdbcSettings(table, timeout);
		}

		JdbcSettings settings() {
			return new JdbcSettings(this.table, this.timeout);
		}

	}

	/**
	 * Settings of the store in Redis.
	 *
	 * @param keyPrefix What the name of each record begins with.
	 * @param waitForReplicas How many replicas must confirm a claim before it is valid.
	 */
	public record Redis(@DefaultValue("idempotency:") String keyPrefix, @DefaultValue("0") int waitForReplicas) {

		private static final int MAX_PREFIX = 200;

		public Redis {
			if (keyPrefix.isBlank() || keyPrefix.length() > MAX_PREFIX
					|| keyPrefix.chars().anyMatch((it) -> Character.isWhitespace(it) || Character.isISOControl(it))) {
				throw new IdempotencyConfigurationException(
						"idempotency.redis.key-prefix must have between 1 and %d characters and no blanks"
							.formatted(MAX_PREFIX),
						"Write a prefix such as idempotency:.");
			}
			if (keyPrefix.indexOf('{') >= 0) {
				throw new IdempotencyConfigurationException(
						"idempotency.redis.key-prefix must not contain {, since a cluster would keep all records on one node",
						"Write a prefix such as idempotency:.");
			}
			if (waitForReplicas < 0) {
				throw new IdempotencyConfigurationException(
						"idempotency.redis.wait-for-replicas must not be negative, but is %d"
							.formatted(waitForReplicas),
						"Write 0 to wait for none.");
			}
		}

	}

	/**
	 * Removal of expired records.
	 *
	 * @param interval How long to wait between two rounds; 0 means that no records are
	 * removed.
	 * @param batch How many records are removed at once.
	 */
	public record Purge(@DefaultValue("10m") Duration interval, @DefaultValue("1000") int batch) {

		public Purge {
			new PurgeSettings(interval, batch);
		}

		PurgeSettings settings() {
			return new PurgeSettings(this.interval, this.batch);
		}

	}

	/**
	 * Keys of calls to other services.
	 *
	 * @param enabled Whether every client that Spring Boot's builders create sends a key
	 * with its unsafe calls.
	 * @param headers Names of hosts whose header has another name than Idempotency-Key,
	 * and the names of those headers.
	 */
	public record Client(@DefaultValue("false") boolean enabled, @DefaultValue Map<String, String> headers) {

		public Client {
			try {
				headers = new KeyHeaders(headers).byHost();
			}
			catch (IdempotencyConfigurationException ex) {
				throw new IdempotencyConfigurationException(
						"idempotency.client.headers cannot be used: %s".formatted(ex.problem()),
						ex.remedy().toString());
			}
		}

	}

	/**
	 * Threads for calls to the store by reactive callers, which must not block.
	 *
	 * @param threads How many claims run at once; as many completions can run beside
	 * them. More threads than the store has connections have no effect.
	 * @param queue How many claims may wait for a thread. A further one fails at once, as
	 * if the store could not be reached.
	 */
	public record Reactive(@DefaultValue("16") int threads, @DefaultValue("1000") int queue) {

		public Reactive {
			if (threads < 1) {
				throw new IdempotencyConfigurationException(
						"idempotency.reactive.threads must be positive, but is %d".formatted(threads),
						"Write about as many as the store has connections, such as 16.");
			}
			if (queue < 0) {
				throw new IdempotencyConfigurationException(
						"idempotency.reactive.queue must not be negative, but is %d".formatted(queue),
						"Write 0 if no claim is to wait for a thread.");
			}
		}

	}

	/**
	 * Settings of tools of agents.
	 *
	 * @param sessionKey Name of the entry of the tool context that identifies the session
	 * of a call.
	 * @param loopGuard How often a session may call a tool with the same arguments before
	 * the model is told to stop; 0 means no limit.
	 * @param loopWindow Time in which such calls are counted.
	 */
	public record Tools(@DefaultValue("sessionId") String sessionKey, @DefaultValue("0") int loopGuard,
			@DefaultValue("10m") Duration loopWindow) {

		public Tools {
			if (sessionKey.isBlank()) {
				throw new IdempotencyConfigurationException("idempotency.tools.session-key is blank",
						"Write the name of an entry of the tool context, such as sessionId.");
			}
			if (loopGuard < 0) {
				throw new IdempotencyConfigurationException(
						"idempotency.tools.loop-guard must not be negative, but is %d".formatted(loopGuard),
						"Write 0 for no limit.");
			}
			if (loopWindow.isNegative() || loopWindow.isZero()) {
				throw new IdempotencyConfigurationException(
						"idempotency.tools.loop-window must be longer than 0s, but is %s".formatted(loopWindow),
						"Write a duration such as 10m.");
			}
		}

	}

	/**
	 * Encryption of stored results.
	 *
	 * @param key Key for new results: 16, 24 or 32 bytes in Base64. Without one, results
	 * are not encrypted.
	 * @param previousKeys Keys with which older results can still be read.
	 */
	public record Encryption(@Nullable String key, @DefaultValue List<String> previousKeys) {

		public Encryption {
			ResultPacking.none().withEncryption(key, previousKeys);
		}

		/**
		 * Does not reveal the keys.
		 */
		@Override
		public String toString() {
			return "Encryption[]";
		}

	}

	/**
	 * Compression of stored results.
	 *
	 * @param threshold Size from which on a result is compressed, if that makes it
	 * smaller. Defaults to 16KB, and to no compression in memory.
	 */
	public record Compression(@Nullable DataSize threshold) {

		/**
		 * Below this size, compression takes longer than all other work on a result, and
		 * saves little.
		 */
		private static final DataSize WORTH_IT = DataSize.ofKilobytes(16);

		public Compression {
			if (threshold != null) {
				ResultPacking.none().withCompression(threshold.toBytes());
			}
		}

		private @Nullable DataSize thresholdFor(IdempotencyStore store) {
			if (this.threshold != null) {
				return this.threshold;
			}
			return (store instanceof InMemoryIdempotencyStore) ? null : WORTH_IT;
		}

	}

}
