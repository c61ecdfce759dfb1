package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.OnCrash;
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
 * A store in Redis 6.2 or later, or in what speaks its protocol; alone, with Sentinel, or
 * as a cluster.
 * <p>
 * A record is one string of bytes, texts for people among them. Its name is the prefix
 * and the digest of its key, and the server itself drops it when its time is over. Each
 * verb is one script, which touches that record only. A driver that sends a claim or a
 * completion again, because the answer got lost with the connection, gets the same answer
 * again: the owner is in the record, also after its completion.
 */
public final class RedisIdempotencyStore implements SearchableStore, NotifyingStore, ShutdownAwareStore, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RedisIdempotencyStore.class);

	private static final byte[] READ = utf8(OnReplay.READ.name());

	private static final byte[] COUNT = utf8(OnReplay.COUNT.name());

	private static final byte[] EXTEND = utf8(OnReplay.EXTEND.name());

	private static final byte[] YES = utf8("1");

	private static final byte[] NO = utf8("0");

	private final Names names;

	private final ScriptRunner scripts;

	private final EndedKeys endedKeys;

	private final ServerCheck check;

	private final @Nullable Replicas replicas;

	private final KeyspaceSearch search;

	/**
	 * Create a store. Nothing is sent before it is used.
	 * @param connectionFactory connects to the server; the store does not close it
	 * @param keyPrefix what the name of each record begins with
	 * @param waitForReplicas how many replicas must have a claim before it counts
	 */
	public RedisIdempotencyStore(RedisConnectionFactory connectionFactory, String keyPrefix, int waitForReplicas) {
		this.names = new Names(keyPrefix);
		this.scripts = new ScriptRunner(connectionFactory);
		this.endedKeys = new EndedKeys(connectionFactory, this.names.channel());
		this.replicas = (waitForReplicas > 0) ? new Replicas(connectionFactory, waitForReplicas) : null;
		this.search = new KeyspaceSearch(connectionFactory, this.scripts, this.names, Keyspace.Patience.ofPeople());
		this.check = new ServerCheck(connectionFactory, this.names, this.replicas);
	}

	/**
	 * Looks whether the server is fit for the purpose, and warns of what could go wrong.
	 * A server that cannot be reached is a warning: the store recovers by itself.
	 * @param lease how long claims hold that are not renewed
	 * @throws dev.idempotency.IdempotencyConfigurationException if the server cannot do,
	 * or does not allow, what the store needs
	 */
	public void checkServer(Duration lease) {
		this.check.run(lease);
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		UUID owner = UUID.randomUUID();
		byte[][] arguments = claimArguments(this.names, owner, key, fingerprint, terms);
		if (this.replicas != null) {
			return claim(new Claim(key, owner, 1), terms.lease(), arguments, this.replicas);
		}
		return toResult(key, owner, new RecordReply(ScriptValues.bytes(this.scripts.read(Script.CLAIM, arguments))));
	}

	private ClaimResult claim(Claim claim, Duration lease, byte[][] arguments, Replicas replicas) {
		try {
			Replicas.Answer answer = replicas.claim(lease, arguments);
			ClaimResult result = toResult(claim.key(), claim.owner(), answer.reply());
			if (result instanceof ClaimResult.Granted granted) {
				replicas.requireEnough(answer.acknowledged());
				// A driver that lost the connection meanwhile may have asked another
				// server, whose replicas have nothing to acknowledge
				if (!renew(granted.claim(), lease)) {
					throw new IdempotencyStoreException("The claim got lost while its replicas were waited for", null);
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
			// Its lease frees the key, if it was granted at all
			logger.debug("A claim that does not count could not be released", ex);
		}
	}

	private static ClaimResult toResult(IdempotencyKey key, UUID owner, RecordReply reply) {
		return reply.isGranted() ? new ClaimResult.Granted(new Claim(key, owner, reply.attempt()))
				: new ClaimResult.Refused(reply.toRecord());
	}

	/**
	 * Package-private for tests that send it twice, as a driver does.
	 */
	static byte[][] claimArguments(Names names, UUID owner, IdempotencyKey key, Fingerprint fingerprint,
			ClaimTerms terms) {
		return new byte[][] { names.record(key),
				PackedRecord.claimed(owner, key, fingerprint, terms.lease(), terms.trace()), life(terms.ttl()),
				onReplay(terms.onReplay()), (terms.onCrash() == OnCrash.RETRY) ? YES : NO };
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
		return this.scripts.test(Script.RENEW, this.names.record(claim.key()), PackedRecord.owner(claim.owner()),
				utf8(Long.toString(lease.toMillis())));
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration ttl) {
		return this.scripts.test(Script.COMPLETE, this.names.record(claim.key()), PackedRecord.owner(claim.owner()),
				life(ttl), result.toFrame(), this.names.channel());
	}

	@Override
	public boolean release(Claim claim) {
		return this.scripts.test(Script.RELEASE, this.names.record(claim.key()), PackedRecord.owner(claim.owner()),
				this.names.channel(), NO);
	}

	@Override
	public boolean forget(Claim claim) {
		return this.scripts.test(Script.RELEASE, this.names.record(claim.key()), PackedRecord.owner(claim.owner()),
				this.names.channel(), YES);
	}

	@Override
	public Optional<Inspection> find(IdempotencyKey key) {
		return this.search.find(RecordId.of(key));
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		return this.scripts.test(Script.FORGET, this.names.record(key), this.names.channel());
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
		return this.scripts.test(Script.FORGET, this.names.record(id), this.names.channel());
	}

	@Override
	public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
		return this.endedKeys.subscribe(Names.digest(key), wakeUp);
	}

	/**
	 * Connection factories stop before executors have ended.
	 */
	@Override
	public Loss lostAtShutdown() {
		return Loss.CONNECTIONS;
	}

	/**
	 * Ends the subscription to the server, if there is one.
	 */
	@Override
	public void close() {
		this.endedKeys.close();
	}

	/**
	 * What a server is told that is to have forgotten something after a ttl: it keeps it
	 * to the end of the millisecond.
	 */
	private static byte[] life(Duration ttl) {
		return utf8(Long.toString(Math.max(1, ttl.toMillis() - 1)));
	}

}
