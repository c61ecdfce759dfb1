package dev.idempotency.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.store.BatchRenewingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.Waiters;
import org.jspecify.annotations.Nullable;

/**
 * A store as somebody writes it for a server that they have: documents under names, which
 * can be read, and replaced if they are still the same. It keeps the contract. Its
 * methods are small, so that a {@link WrongStore} gets one of them wrong.
 */
class ServerStore implements SearchableStore, NotifyingStore, PurgeableStore, BatchRenewingStore {

	static final int LARGEST_RESULT = 8 << 20;

	private static final UUID REPORTED = UUID.randomUUID();

	final Server server;

	private final Waiters<Object> waiters = new Waiters<>();

	ServerStore(Server server) {
		this.server = server;
		server.subscribers.add(this.waiters::wakeUp);
	}

	// The verbs

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		while (true) {
			Document found = read(name(key));
			Document document = claimed(key, found, fingerprint, terms);
			if (Objects.equals(found, document) || write(name(key), found, document)) {
				return (found == null || !document.owner().equals(found.owner()))
						? new ClaimResult.Granted(new Claim(key, document.owner(), document.attempt()))
						: new ClaimResult.Refused(toRecord(document));
			}
		}
	}

	/**
	 * What a claim makes of what it finds: something with an owner of its own, or the
	 * same if it is refused.
	 */
	Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
		if (found == null || isExpired(found)) {
			return fresh(key, fingerprint, terms);
		}
		if (found.result() != null) {
			return isSame(found, fingerprint) ? replayed(found, terms) : refused(found, terms);
		}
		return (hasLeaseExpired(found) && isSame(found, fingerprint) && mayTakeOver(found, terms))
				? takenOver(found, terms) : refused(found, terms);
	}

	Document fresh(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		return new Document(key, fingerprint, newOwner(key, 1), 1, now(), in(terms.lease()), in(terms.ttl()), null, 0,
				0, terms.trace(), terms);
	}

	Document takenOver(Document found, ClaimTerms terms) {
		return new Document(found.key(), found.fingerprint(), newOwner(found.key(), found.attempt() + 1),
				found.attempt() + 1, found.created(), in(terms.lease()), in(terms.ttl()), null, 0, 0, terms.trace(),
				terms);
	}

	Document refused(Document found, ClaimTerms terms) {
		return found;
	}

	Document replayed(Document found, ClaimTerms terms) {
		return switch (terms.onReplay()) {
			case READ -> found;
			case COUNT -> found.withReplays(found.replays() + 1);
			case EXTEND -> found.withExpires(Math.max(found.expires(), in(terms.ttl())));
		};
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		return change(claim, (held) -> renewed(held, lease));
	}

	@Override
	public @Nullable Object renewalPlace(Claim claim) {
		return null;
	}

	@Override
	public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
		return claims.stream().filter((claim) -> !renew(claim, lease)).collect(Collectors.toSet());
	}

	Document renewed(Document held, Duration lease) {
		return held.withLeaseEnds(in(lease)).withExpires(Math.max(held.expires(), in(lease)));
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
		if (result.size() > LARGEST_RESULT) {
			throw new ResultTooLargeException("The server holds at most %d bytes".formatted(LARGEST_RESULT));
		}
		return notifying(claim.key(), change(claim, (held) -> completed(held, result, atLeast)));
	}

	Document completed(Document held, StoredResult result, Duration atLeast) {
		return held.withResult(result, now()).withExpires(Math.max(held.expires(), in(atLeast)));
	}

	@Override
	public boolean release(Claim claim) {
		return notifying(claim.key(), change(claim, this::released));
	}

	@Nullable Document released(Document held) {
		return (held.attempt() > 1) ? held.withOwner(UUID.randomUUID()).withLeaseEnds(now()) : null;
	}

	@Override
	public boolean abandon(Claim claim) {
		return notifying(claim.key(), change(claim, this::reported));
	}

	Document reported(Document held) {
		return held.withOwner(REPORTED).withLeaseEnds(now());
	}

	@Override
	public boolean forget(Claim claim) {
		return notifying(claim.key(), change(claim, (held) -> null));
	}

	/**
	 * Changes a document if the claim holds it.
	 */
	boolean change(Claim claim, UnaryOperator<@Nullable Document> change) {
		while (true) {
			Document found = read(name(claim.key()));
			if (found == null || !isHeld(found, claim)) {
				return false;
			}
			if (write(name(claim.key()), found, change.apply(found))) {
				return true;
			}
		}
	}

	boolean isHeld(Document document, Claim claim) {
		return document.owner().equals(claim.owner()) && document.result() == null && !isExpired(document);
	}

	boolean isSame(Document document, Fingerprint fingerprint) {
		return document.fingerprint().equals(fingerprint);
	}

	boolean hasLeaseExpired(Document document) {
		return document.leaseEnds() <= now();
	}

	boolean mayTakeOver(Document document, ClaimTerms terms) {
		return terms.onCrash() == OnCrash.RETRY;
	}

	boolean isExpired(Document document) {
		return document.expires() <= now();
	}

	UUID newOwner(IdempotencyKey key, int attempt) {
		return UUID.randomUUID();
	}

	Object name(IdempotencyKey key) {
		return RecordId.of(key).value();
	}

	long in(Duration duration) {
		return now() + duration.toMillis();
	}

	long now() {
		return this.server.clock.millis();
	}

	// Round trips

	@Nullable Document read(Object name) {
		return this.server.ask().get(name);
	}

	/**
	 * Writes a document, or removes it, if what was read is still there.
	 */
	boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
		Map<Object, Document> documents = this.server.ask();
		if (expected == null) {
			return documents.putIfAbsent(name, Objects.requireNonNull(document)) == null;
		}
		return (document != null) ? documents.replace(name, expected, document) : documents.remove(name, expected);
	}

	/**
	 * Writes a document, or removes it, whatever is there.
	 */
	void overwrite(Object name, @Nullable Document document) {
		if (document != null) {
			this.server.ask().put(name, document);
		}
		else {
			this.server.ask().remove(name);
		}
	}

	// Notifications

	boolean notifying(IdempotencyKey key, boolean ended) {
		if (ended) {
			this.server.subscribers.forEach((subscriber) -> subscriber.accept(name(key)));
		}
		return ended;
	}

	@Override
	public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
		return this.waiters.add(name(key), wakeUp);
	}

	void wakeUpHere(IdempotencyKey key) {
		this.waiters.wakeUp(name(key));
	}

	// Operators

	@Override
	public Optional<Inspection> find(IdempotencyKey key) {
		return visible(read(name(key))).map(this::inspect);
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		while (true) {
			Document found = visible(read(name(key))).orElse(null);
			if (found == null) {
				return false;
			}
			if (write(name(key), found, null)) {
				return notifying(key, true);
			}
		}
	}

	@Override
	public Optional<Inspection> find(RecordId id) {
		return byId(id).map(this::inspect);
	}

	@Override
	public boolean forget(RecordId id) {
		return byId(id).filter((document) -> forget(document.key())).isPresent();
	}

	private Optional<Document> byId(RecordId id) {
		return all().stream().filter((document) -> RecordId.of(document.key()).equals(id)).findFirst();
	}

	@Override
	public Found search(RecordFilter filter, int offset, int limit) {
		NewestRecords newest = new NewestRecords(offset, limit);
		for (Document document : all()) {
			RecordSummary summary = summarize(document);
			if (filter.matches(summary, Instant.ofEpochMilli(now()))) {
				newest.add(summary);
			}
		}
		return new Found(newest.page(), true);
	}

	@Override
	public Counts count(String namespace) {
		RecordTally tally = new RecordTally();
		for (Document document : all()) {
			RecordSummary summary = summarize(document);
			if (summary.key().namespace().equals(namespace)) {
				tally.add(summary.key().operation(), summary.state(), 1);
			}
		}
		return tally.counts();
	}

	List<Document> all() {
		return this.server.ask().values().stream().filter((document) -> visible(document).isPresent()).toList();
	}

	Optional<Document> visible(@Nullable Document document) {
		return Optional.ofNullable(document).filter((found) -> !isExpired(found));
	}

	@Override
	public int purge(int limit) {
		int purged = 0;
		for (Map.Entry<Object, Document> entry : List.copyOf(this.server.ask().entrySet())) {
			if (purged < limit && isPurgeable(entry.getValue()) && write(entry.getKey(), entry.getValue(), null)) {
				purged++;
			}
		}
		return purged;
	}

	boolean isPurgeable(Document document) {
		return isExpired(document);
	}

	// Views

	IdempotencyRecord toRecord(Document document) {
		return (document.result() != null)
				? new IdempotencyRecord.Completed(document.fingerprint(), document.attempt(), document.result(),
						document.replays(), document.trace())
				: new IdempotencyRecord.InProgress(document.fingerprint(), document.attempt(),
						Duration.ofMillis(now() - document.created()), Duration.ofMillis(document.leaseEnds() - now()),
						document.trace());
	}

	private Inspection inspect(Document document) {
		return new Inspection(summarize(document), document.fingerprint(), document.result());
	}

	RecordSummary summarize(Document document) {
		RecordState state = (document.result() != null) ? RecordState.COMPLETED
				: !hasLeaseExpired(document) ? RecordState.IN_PROGRESS
						: document.owner().equals(REPORTED) ? RecordState.REPORTED_UNKNOWN : RecordState.ABANDONED;
		KeyStatus status = new KeyStatus(state, document.attempt(), Instant.ofEpochMilli(document.created()),
				(document.result() != null) ? Instant.ofEpochMilli(document.completed()) : null,
				Instant.ofEpochMilli(document.expires()));
		return new RecordSummary(RecordId.of(document.key()), KeyDescription.of(document.key()), status,
				(document.result() != null) ? Duration.ZERO : Duration.ofMillis(document.leaseEnds() - now()),
				document.replays(), (document.result() != null) ? document.result().size() : 0, document.trace());
	}

	/**
	 * What several instances share.
	 */
	static final class Server {

		/**
		 * In nanoseconds. Some requests overtake others.
		 */
		private static final int LONGEST_WAY = 100_000;

		private final MovableClock clock;

		private final boolean remote;

		final Map<Object, Document> documents = new ConcurrentHashMap<>();

		/**
		 * For results that are not kept in their documents.
		 */
		final Map<String, StoredResult> results = new ConcurrentHashMap<>();

		/**
		 * The documents that a transaction is about to complete.
		 */
		final Map<Object, Object> pending = new ConcurrentHashMap<>();

		/**
		 * The owners whose transactions have completed their documents.
		 */
		final Set<UUID> committed = ConcurrentHashMap.newKeySet();

		private final List<Consumer<Object>> subscribers = new CopyOnWriteArrayList<>();

		/**
		 * Create a server.
		 * @param remote whether a request takes some time on its way to it
		 */
		Server(MovableClock clock, boolean remote) {
			this.clock = clock;
			this.remote = remote;
		}

		/**
		 * A request has come to the server.
		 */
		Map<Object, Document> ask() {
			if (this.remote) {
				LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(LONGEST_WAY));
			}
			return this.documents;
		}

	}

	/**
	 * What the server keeps under a name.
	 */
	record Document(IdempotencyKey key, Fingerprint fingerprint, UUID owner, int attempt, long created, long leaseEnds,
			long expires, @Nullable StoredResult result, long completed, long replays, @Nullable String trace,
			ClaimTerms terms) {

		Document withFingerprint(Fingerprint fingerprint) {
			return new Document(this.key, fingerprint, this.owner, this.attempt, this.created, this.leaseEnds,
					this.expires, this.result, this.completed, this.replays, this.trace, this.terms);
		}

		Document withOwner(UUID owner) {
			return new Document(this.key, this.fingerprint, owner, this.attempt, this.created, this.leaseEnds,
					this.expires, this.result, this.completed, this.replays, this.trace, this.terms);
		}

		Document withAttempt(int attempt) {
			return new Document(this.key, this.fingerprint, this.owner, attempt, this.created, this.leaseEnds,
					this.expires, this.result, this.completed, this.replays, this.trace, this.terms);
		}

		Document withCreated(long created) {
			return new Document(this.key, this.fingerprint, this.owner, this.attempt, created, this.leaseEnds,
					this.expires, this.result, this.completed, this.replays, this.trace, this.terms);
		}

		Document withLeaseEnds(long leaseEnds) {
			return new Document(this.key, this.fingerprint, this.owner, this.attempt, this.created, leaseEnds,
					this.expires, this.result, this.completed, this.replays, this.trace, this.terms);
		}

		Document withExpires(long expires) {
			return new Document(this.key, this.fingerprint, this.owner, this.attempt, this.created, this.leaseEnds,
					expires, this.result, this.completed, this.replays, this.trace, this.terms);
		}

		Document withResult(@Nullable StoredResult result, long completed) {
			return new Document(this.key, this.fingerprint, this.owner, this.attempt, this.created, this.leaseEnds,
					this.expires, result, completed, this.replays, this.trace, this.terms);
		}

		Document withReplays(long replays) {
			return new Document(this.key, this.fingerprint, this.owner, this.attempt, this.created, this.leaseEnds,
					this.expires, this.result, this.completed, replays, this.trace, this.terms);
		}

		Document withTrace(@Nullable String trace) {
			return new Document(this.key, this.fingerprint, this.owner, this.attempt, this.created, this.leaseEnds,
					this.expires, this.result, this.completed, this.replays, trace, this.terms);
		}

	}

}
