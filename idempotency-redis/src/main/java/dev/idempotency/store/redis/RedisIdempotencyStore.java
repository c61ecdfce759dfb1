package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.store.BatchRenewingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.ShutdownAwareStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static dev.idempotency.store.redis.Names.utf8;

/**
 * A store in Redis 6.2 or later, or in a server with the same protocol; standalone, with
 * Sentinel, or as a cluster.
 * <p>
 * A record is one string of bytes, with readable texts for operators. Its name is the
 * prefix and the digest of its key, and the server itself drops it when it expires. A
 * claim is one plain command if the server supports it and replays change nothing. A
 * script handles a record in progress and every other operation, and touches that record
 * only. A driver that sends a claim or a completion again, because a lost connection took
 * the reply, gets the same reply again: the record contains the owner, also after its
 * completion.
 */
public final class RedisIdempotencyStore
		implements SearchableStore, NotifyingStore, BatchRenewingStore, ShutdownAwareStore, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RedisIdempotencyStore.class);

	private static final byte[] READ = utf8(OnReplay.READ.name());

	private static final byte[] COUNT = utf8(OnReplay.COUNT.name());

	private static final byte[] EXTEND = utf8(OnReplay.EXTEND.name());

	private static final byte[] YES = utf8("1");

	private static final byte[] NO = utf8("0");

	/**
	 * Before Redis 7.0, an error of a script has text in front of it.
	 */
	private static final String OUT_OF_MEMORY = "OOM command not allowed";

	private final Names names;

	private final ScriptRunner scripts;

	private final EndedKeys endedKeys;

	private final PlainClaims plainClaims;

	private final Renewals renewals;

	private final ServerCheck check;

	private final @Nullable Replicas replicas;

	private final KeyspaceSearch search;

	/**
	 * Create a store. Nothing is sent before it is used.
	 * @param connectionFactory connects to the server; the store does not close it
	 * @param keyPrefix the prefix of the names of all records
	 * @param waitForReplicas how many replicas must have a claim before it counts
	 */
	public RedisIdempotencyStore(RedisConnectionFactory connectionFactory, String keyPrefix, int waitForReplicas) {
		this.names = new Names(keyPrefix);
		this.scripts = new ScriptRunner(connectionFactory);
		this.endedKeys = new EndedKeys(connectionFactory, this.scripts, this.names);
		this.plainClaims = new PlainClaims(connectionFactory);
		this.renewals = new Renewals(connectionFactory, this.names);
		this.replicas = (waitForReplicas > 0) ? new Replicas(connectionFactory, waitForReplicas) : null;
		this.search = new KeyspaceSearch(connectionFactory, this.scripts, this.names, KeyspaceSearch.MOST_RECORDS);
		this.check = new ServerCheck(connectionFactory, this.names, this.plainClaims, this.renewals, this.replicas);
	}

	/**
	 * Checks that the server meets the needs of the store, and warns of what could go
	 * wrong. An unreachable server is a warning only, because the store recovers by
	 * itself.
	 * @throws dev.idempotency.IdempotencyConfigurationException if the server does not
	 * support or does not allow what the store needs
	 */
	public void checkServer(Duration lease) {
		this.check.run(lease);
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		Claim claim = new Claim(key, UUID.randomUUID(), 1);
		byte[] name = this.names.record(key);
		byte[] record = record(claim.owner(), key, fingerprint, terms);
		if (terms.onReplay() == OnReplay.READ && this.replicas == null && this.plainClaims.areKnown()) {
			ClaimResult result = claimPlainly(claim, terms.ttl(), name, record);
			if (result != null) {
				return result;
			}
		}
		byte[][] arguments = claimArguments(name, record, terms, this.endedKeys.isAwaited(key));
		if (this.replicas != null) {
			return claim(claim, terms.lease(), arguments, this.replicas);
		}
		return toResult(key, claim.owner(),
				new RecordReply(ScriptValues.bytes(this.scripts.read(Script.CLAIM, arguments))));
	}

	/**
	 * Claims a free key, or returns a result.
	 * @return {@code null} if the script has to decide
	 */
	private @Nullable ClaimResult claimPlainly(Claim claim, Duration ttl, byte[] name, byte[] record) {
		byte[] present;
		try {
			present = this.plainClaims.take(name, record, serverLife(ttl));
		}
		catch (RuntimeException ex) {
			this.plainClaims.requireRefusal(ex);
			return null;
		}
		if (present == null) {
			return new ClaimResult.Granted(claim);
		}
		PackedRecord found = PackedRecord.read(present, 0);
		if (found.isCompleted()) {
			return new ClaimResult.Refused(found.toRecord(0));
		}
		// The driver sent the claim again after it lost the reply
		return found.isOwnedBy(claim.owner()) ? new ClaimResult.Granted(claim) : null;
	}

	private ClaimResult claim(Claim claim, Duration lease, byte[][] arguments, Replicas replicas) {
		try {
			Replicas.Answer answer = replicas.claim(lease, arguments);
			ClaimResult result = toResult(claim.key(), claim.owner(), answer.reply());
			if (result instanceof ClaimResult.Granted granted) {
				replicas.requireEnough(answer.acknowledged());
				// After a lost connection, the driver may have waited on another server,
				// whose replicas have nothing to acknowledge
				if (!renew(granted.claim(), lease)) {
					throw new IdempotencyStoreException("The claim was lost while it waited for its replicas", null);
				}
			}
			return result;
		}
		catch (RuntimeException ex) {
			releaseQuietly(claim);
			throw ex;
		}
	}

	private void releaseQuietly(Claim claim) {
		try {
			release(claim);
		}
		catch (RuntimeException ex) {
			// The key is free when its lease expires, if it was claimed at all
			logger.debug("Failed to release a claim that too few replicas have", ex);
		}
	}

	private static ClaimResult toResult(IdempotencyKey key, UUID owner, RecordReply reply) {
		return reply.isGranted() ? new ClaimResult.Granted(new Claim(key, owner, reply.attempt()))
				: new ClaimResult.Refused(reply.toRecord());
	}

	/**
	 * Package-private for tests that send it twice, as a driver does.
	 */
	static byte[] record(UUID owner, IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		return RecordPacking.claimed(owner, key, fingerprint, terms.lease(), serverLife(terms.ttl()) + 1,
				terms.trace());
	}

	/**
	 * Package-private for tests that send them twice, as a driver does.
	 */
	static byte[][] claimArguments(byte[] name, byte[] record, ClaimTerms terms, boolean awaited) {
		return new byte[][] { name, record, number(serverLife(terms.ttl())), onReplay(terms.onReplay()),
				(terms.onCrash() == OnCrash.RETRY) ? YES : NO, awaited ? YES : NO };
	}

	private static byte[] onReplay(OnReplay onReplay) {
		return switch (onReplay) {
			case READ -> READ;
			case COUNT -> COUNT;
			case EXTEND -> EXTEND;
		};
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		return renewAll(List.of(claim), lease).isEmpty();
	}

	@Override
	public @Nullable Object renewalPlace(Claim claim) {
		return this.renewals.place(claim);
	}

	@Override
	public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
		return this.renewals.renew(claims, lease);
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
		byte[] frame = result.toFrame();
		try {
			return this.scripts.test(Script.COMPLETE, this.names.record(claim.key()),
					RecordPacking.completion(claim.owner(), serverLife(atLeast), frame.length), frame);
		}
		catch (RuntimeException ex) {
			// The script gets the mere fact past this refusal
			if (frame.length > StoredResult.HEADER && ServerError.of(ex).contains(OUT_OF_MEMORY)) {
				throw new ResultTooLargeException(
						"Redis is out of memory (maxmemory) and refused a result of %d bytes".formatted(frame.length));
			}
			throw ex;
		}
	}

	@Override
	public boolean release(Claim claim) {
		return end(claim, RecordPacking.owner(PackedRecord.NOBODY));
	}

	@Override
	public boolean abandon(Claim claim) {
		return end(claim, RecordPacking.owner(PackedRecord.REPORTED));
	}

	@Override
	public boolean forget(Claim claim) {
		return end(claim, new byte[0]);
	}

	/**
	 * Ends a claim.
	 * @param next the next owner of its record; empty to remove the record
	 */
	private boolean end(Claim claim, byte[] next) {
		return this.scripts.test(Script.RELEASE, this.names.record(claim.key()), RecordPacking.owner(claim.owner()),
				next);
	}

	@Override
	public Optional<Inspection> find(IdempotencyKey key) {
		return this.search.find(RecordId.of(key));
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		return this.scripts.test(Script.FORGET, this.names.record(key));
	}

	@Override
	public Found search(RecordFilter filter, int offset, int limit) {
		return this.search.search(filter, offset, limit);
	}

	@Override
	public Counts count(String namespace) {
		return this.search.count(namespace);
	}

	@Override
	public Optional<Inspection> find(RecordId id) {
		return this.search.find(id);
	}

	@Override
	public boolean forget(RecordId id) {
		return this.scripts.test(Script.FORGET, this.names.record(id));
	}

	@Override
	public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
		return this.endedKeys.subscribe(key, wakeUp);
	}

	/**
	 * Connection factories stop before executors do.
	 */
	@Override
	public Loss lostAtShutdown() {
		return Loss.CONNECTIONS;
	}

	/**
	 * Closes the subscription to the server, if there is one.
	 */
	@Override
	public void close() {
		this.endedKeys.close();
	}

	/**
	 * The expiry for a ttl, in milliseconds. One less, because the server keeps a record
	 * until the end of the millisecond.
	 */
	private static long serverLife(Duration ttl) {
		return Math.max(1, ttl.toMillis() - 1);
	}

	private static byte[] number(long number) {
		return utf8(Long.toString(number));
	}

}
