package dev.idempotency.test;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.ServerStore.Document;
import dev.idempotency.test.ServerStore.Server;
import org.jspecify.annotations.Nullable;

/**
 * Stores as somebody writes them who has not read the guide to its end: each is right but
 * for one thing. Each constant names the contract that finds it.
 */
enum WrongStore {

	// Not atomic

	CLAIM_READS_THEN_WRITES(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			return (expected == null) ? overwritten(this, name, document) : super.write(name, expected, document);
		}

	}),

	CLAIM_HAS_A_LOCK_OF_THE_JVM(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		public synchronized ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			return super.claim(key, fingerprint, terms);
		}

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			return (expected == null) ? overwritten(this, name, document) : super.write(name, expected, document);
		}

	}),

	EVERYTHING_HAS_A_LOCK_OF_THE_JVM(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		public synchronized ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			return super.claim(key, fingerprint, terms);
		}

		@Override
		synchronized boolean change(Claim claim, UnaryOperator<@Nullable Document> change) {
			return super.change(claim, change);
		}

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			return overwritten(this, name, document);
		}

	}),

	TAKEOVER_READS_THEN_WRITES(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			return (expected != null && document != null && document.attempt() > expected.attempt())
					? overwritten(this, name, document) : super.write(name, expected, document);
		}

	}),

	EXPIRED_RECORDS_ARE_OVERWRITTEN(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			return (expected != null && isExpired(expected)) ? overwritten(this, name, document)
					: super.write(name, expected, document);
		}

	}),

	EXPIRED_RECORDS_ARE_REMOVED_BEFORE_A_CLAIM(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			if (expected != null && isExpired(expected)) {
				overwrite(name, null);
				return super.write(name, null, document);
			}
			return super.write(name, expected, document);
		}

	}),

	RENEW_READS_THEN_WRITES(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean renew(Claim claim, Duration lease) {
			return changeUnchecked(this, claim, (held) -> renewed(held, lease));
		}

	}),

	RENEW_HAS_A_LOCK_OF_THE_JVM(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		public synchronized boolean renew(Claim claim, Duration lease) {
			return changeUnchecked(this, claim, (held) -> renewed(held, lease));
		}

		@Override
		public synchronized boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			return super.complete(claim, result, atLeast);
		}

	}),

	RENEW_WRITES_WHERE_THE_OWNER_IS_THE_SAME(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean renew(Claim claim, Duration lease) {
			Document found = read(name(claim.key()));
			if (found == null || !isHeld(found, claim)) {
				return false;
			}
			// The condition forgets that the owner may have completed its key meanwhile
			return server.ask()
				.computeIfPresent(name(claim.key()),
						(name, there) -> there.owner().equals(claim.owner()) ? renewed(found, lease) : there) != null;
		}

	}),

	COMPLETE_READS_THEN_WRITES(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			return notifying(claim.key(), changeUnchecked(this, claim, (held) -> completed(held, result, atLeast)));
		}

	}),

	RELEASE_READS_THEN_WRITES(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean release(Claim claim) {
			return notifying(claim.key(), changeUnchecked(this, claim, this::released));
		}

	}),

	ABANDON_READS_THEN_WRITES(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean abandon(Claim claim) {
			return notifying(claim.key(), changeUnchecked(this, claim, this::reported));
		}

	}),

	ABANDON_RELEASES(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean abandon(Claim claim) {
			return release(claim);
		}

	}),

	ABANDON_WAITS_FOR_THE_LEASE(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document reported(Document held) {
			return super.reported(held).withLeaseEnds(held.leaseEnds());
		}

	}),

	ABANDON_LEAVES_THE_OWNER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document reported(Document held) {
			return held.withLeaseEnds(now());
		}

	}),

	ABANDON_LOOKS_LIKE_A_CRASH(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document reported(Document held) {
			return held.withOwner(UUID.randomUUID()).withLeaseEnds(now());
		}

	}),

	ABANDON_CHANGES_WHAT_IS_COMPLETED(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean abandon(Claim claim) {
			Document found = read(name(claim.key()));
			return (found != null && found.owner().equals(claim.owner()) && found.result() != null)
					? write(name(claim.key()), found, reported(found)) : super.abandon(claim);
		}

	}),

	ABANDON_RESTARTS_THE_TTL(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document reported(Document held) {
			return super.reported(held).withExpires(in(held.terms().ttl()));
		}

	}),

	EXPIRED_RECORDS_CAN_BE_ABANDONED(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean abandon(Claim claim) {
			Document found = read(name(claim.key()));
			return (found != null && isExpired(found) && found.owner().equals(claim.owner()))
					? write(name(claim.key()), found, reported(found)) : super.abandon(claim);
		}

	}),

	WAITERS_ARE_NOT_TOLD_WHAT_IS_ABANDONED(NotifyingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean abandon(Claim claim) {
			return change(claim, this::reported);
		}

	}),

	FORGET_READS_THEN_WRITES(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(Claim claim) {
			return notifying(claim.key(), changeUnchecked(this, claim, (held) -> null));
		}

	}),

	COMPLETE_WRITES_WHAT_IS_FORGOTTEN(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			return notifying(claim.key(), changeUnchecked(this, claim, (held) -> completed(held, result, atLeast)));
		}

	}),

	RENEW_WRITES_WHAT_IS_FORGOTTEN(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean renew(Claim claim, Duration lease) {
			return changeUnchecked(this, claim, (held) -> renewed(held, lease));
		}

	}),

	CLAIM_WRITES_ITS_LEASE_LATER(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			return (expected == null && document != null)
					? super.write(name, null, document.withLeaseEnds(now())) && overwritten(this, name, document)
					: super.write(name, expected, document);
		}

	}),

	CLAIM_WRITES_ITS_FINGERPRINT_LATER(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			if (expected == null && document != null) {
				Document first = document.withFingerprint(Fingerprint.none());
				return super.write(name, null, first) && super.write(name, first, document);
			}
			return super.write(name, expected, document);
		}

	}),

	TAKEOVER_COUNTS_ITS_ATTEMPT_LATER(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			if (expected != null && document != null && document.attempt() > expected.attempt()) {
				Document first = document.withAttempt(expected.attempt());
				return super.write(name, expected, first) && super.write(name, first, document);
			}
			return super.write(name, expected, document);
		}

	}),

	COMPLETE_WRITES_ITS_RESULT_LATER(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			if (expected != null && document != null && expected.result() == null && document.result() != null) {
				Document first = document.withResult(StoredResult.tombstone(), now());
				return super.write(name, expected, first) && super.write(name, first, document);
			}
			return super.write(name, expected, document);
		}

	}),

	REFUSAL_WRITES_WHAT_IT_HAS_READ(RacesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document refused(Document found, ClaimTerms terms) {
			overwrite(name(found.key()), found);
			return found;
		}

	}),

	OWNERS_ARE_COUNTED_BY_EACH_INSTANCE(RacesContract.class, (server) -> new ServerStore(server) {

		private final AtomicLong owners = new AtomicLong();

		@Override
		UUID newOwner(IdempotencyKey key, int attempt) {
			return new UUID(0, this.owners.incrementAndGet());
		}

	}),

	CLAIMS_ARE_REMEMBERED_BY_EACH_INSTANCE(RacesContract.class, (server) -> new ServerStore(server) {

		private final Map<IdempotencyKey, Document> granted = new ConcurrentHashMap<>();

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			Document known = this.granted.get(key);
			if (known != null && !hasLeaseExpired(known)) {
				return new ClaimResult.Refused(toRecord(known));
			}
			ClaimResult result = super.claim(key, fingerprint, terms);
			if (result instanceof ClaimResult.Granted) {
				this.granted.put(key, Objects.requireNonNull(read(name(key))));
			}
			return result;
		}

		@Override
		boolean change(Claim claim, UnaryOperator<@Nullable Document> change) {
			this.granted.remove(claim.key());
			return super.change(claim, change);
		}

	}),

	RESULTS_ARE_CACHED_BY_EACH_INSTANCE(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		private final Map<IdempotencyKey, ClaimResult> cached = new ConcurrentHashMap<>();

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			ClaimResult known = this.cached.get(key);
			if (known != null && terms.onReplay() == OnReplay.READ) {
				return known;
			}
			ClaimResult result = super.claim(key, fingerprint, terms);
			if (result instanceof ClaimResult.Refused refused
					&& refused.record() instanceof IdempotencyRecord.Completed) {
				this.cached.put(key, result);
			}
			return result;
		}

		@Override
		public boolean forget(IdempotencyKey key) {
			this.cached.remove(key);
			return super.forget(key);
		}

	}),

	PURGE_READS_THEN_REMOVES(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public int purge(int limit) {
			List<Object> names = server.ask()
				.entrySet()
				.stream()
				.filter((entry) -> isPurgeable(entry.getValue()))
				.map(Map.Entry::getKey)
				.limit(limit)
				.toList();
			names.forEach((name) -> overwrite(name, null));
			return names.size();
		}

	}),

	PURGE_COUNTS_WHAT_OTHERS_REMOVE(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public int purge(int limit) {
			List<Map.Entry<Object, Document>> found = server.ask()
				.entrySet()
				.stream()
				.filter((entry) -> isPurgeable(entry.getValue()))
				.limit(limit)
				.map((entry) -> Map.entry(entry.getKey(), entry.getValue()))
				.toList();
			found.forEach((entry) -> write(entry.getKey(), entry.getValue(), null));
			return found.size();
		}

	}),

	COUNTING_READS_THEN_WRITES(ReplaysContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			return (expected != null && document != null && document.replays() > expected.replays())
					? overwritten(this, name, document) : super.write(name, expected, document);
		}

	}),

	EXTENDING_READS_THEN_WRITES(ReplaysContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
			return (expected != null && document != null && expected.result() != null)
					? overwritten(this, name, document) : super.write(name, expected, document);
		}

	}),

	WAITERS_ARE_TOLD_BY_THEIR_OWN_INSTANCE(NotifyingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean notifying(IdempotencyKey key, boolean ended) {
			wakeUpHere(key);
			return ended;
		}

	}),

	WAITERS_ARE_NOT_TOLD_OF_A_RELEASED_TAKEOVER(NotifyingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean release(Claim claim) {
			return (claim.attempt() == 1) ? super.release(claim) : change(claim, this::released);
		}

	}),

	WAITERS_ARE_NOT_TOLD_WHAT_IS_FORGOTTEN(NotifyingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(Claim claim) {
			return change(claim, (held) -> null);
		}

	}),

	// Keys that are taken for others

	VALUES_IGNORE_CASE(byName((key) -> with(key, key.value().toLowerCase(Locale.ROOT)))),

	NAMESPACES_IGNORE_CASE(byScope(0, (part) -> part.toLowerCase(Locale.ROOT))),

	OPERATIONS_IGNORE_CASE(byScope(1, (part) -> part.toUpperCase(Locale.ROOT))),

	PRINCIPALS_IGNORE_CASE(byScope(2, (part) -> part.toLowerCase(Locale.ROOT))),

	TENANTS_IGNORE_CASE(byScope(3, (part) -> part.toLowerCase(Locale.ROOT))),

	VALUES_ARE_TRIMMED(byName((key) -> with(key, key.value().trim()))),

	VALUES_ARE_PADDED(byName((key) -> with(key, key.value().replaceAll(" +$", "")))),

	OPERATIONS_ARE_STRIPPED(byScope(1, String::strip)),

	PRINCIPALS_ARE_TRIMMED(byScope(2, String::trim)),

	TENANTS_ARE_PADDED(byScope(3, (part) -> part.replaceAll(" +$", ""))),

	VALUES_ARE_CUT(byName((key) -> with(key, cut(key.value(), 255)))),

	VALUES_ARE_CUT_LATE(byName((key) -> with(key, cut(key.value(), 8191)))),

	VALUES_LOSE_THEIR_MIDDLE(byName((key) -> with(key,
			cut(key.value(), 100) + key.value().substring(Math.max(0, key.value().length() - 100))))),

	NAMESPACES_ARE_CUT(byScope(0, (part) -> cut(part, 100))),

	OPERATIONS_ARE_CUT(byScope(1, (part) -> cut(part, 1024))),

	PRINCIPALS_ARE_CUT(byScope(2, (part) -> cut(part, 255))),

	TENANTS_ARE_CUT(byScope(3, (part) -> cut(part, 2047))),

	PRINCIPALS_ARE_DESCRIBED(byName((key) -> List.of(key.value(), KeyDescription.of(key)))),

	VALUES_ARE_NORMALIZED(byName((key) -> with(key, Normalizer.normalize(key.value(), Normalizer.Form.NFC)))),

	PRINCIPALS_ARE_NORMALIZED(byScope(2, (part) -> Normalizer.normalize(part, Normalizer.Form.NFKC))),

	PRINCIPALS_LOSE_ACCENTS(
			byScope(2, (part) -> Normalizer.normalize(part, Normalizer.Form.NFD).replaceAll("\\p{M}", ""))),

	PRINCIPALS_LOSE_WHAT_IS_INVISIBLE(byScope(2, (part) -> part.replaceAll("[\\p{Cf}\\p{Cc}]", ""))),

	VALUES_ARE_LATIN(byName((key) -> with(key, reread(key.value(), StandardCharsets.ISO_8859_1)))),

	TENANTS_ARE_ASCII(byScope(3, (part) -> reread(part, StandardCharsets.US_ASCII))),

	VALUES_END_AT_A_NUL(byName((key) -> with(key, key.value().split("\u0000", 2)[0]))),

	VALUES_LOSE_RARE_CHARACTERS(byName((key) -> with(key, key.value().replaceAll("[\\x{10000}-\\x{10FFFF}]", "?")))),

	VALUES_ARE_DECODED(byName((key) -> with(key, decoded(key.value())))),

	VALUES_ARE_NUMBERS(byName((key) -> with(key, asNumber(key.value())))),

	BLANKS_ARE_COLLAPSED(byName((key) -> with(key, key.value().replaceAll("\\s+", " ")))),

	NAMES_ARE_HASH_CODES(byName((key) -> parts(key).map((part) -> String.valueOf(part).hashCode()).toList())),

	NAMES_ARE_CHECKSUMS(byName((key) -> parts(key).map(WrongStore::checksum).toList())),

	NAMES_ARE_STARTS_OF_DIGESTS(byName((key) -> List.of(Arrays.hashCode(Arrays.copyOf(key.digest(), 3))))),

	PARTS_ARE_GLUED(byName((key) -> parts(key).map(String::valueOf).collect(Collectors.joining()))),

	PARTS_ARE_JOINED_BY_COLONS(byName((key) -> parts(key).map(String::valueOf).collect(Collectors.joining(":")))),

	PARTS_ARE_JOINED_BY_SLASHES(byName((key) -> parts(key).filter(Objects::nonNull).collect(Collectors.joining("/")))),

	PARTS_ARE_JOINED_BY_NULS(byName((key) -> parts(key).map(String::valueOf).collect(Collectors.joining("\u0000")))),

	PARTS_ARE_LISTED(byName((key) -> parts(key).toList().toString())),

	ABSENT_IS_EMPTY(byName((key) -> parts(key).map((part) -> (part != null) ? part : "").toList())),

	ABSENT_IS_A_WORD(byName((key) -> parts(key).map(String::valueOf).toList())),

	NAMESPACES_ARE_IGNORED(byName((key) -> parts(key).skip(1).toList())),

	OPERATIONS_ARE_IGNORED(byScope(1, (part) -> "")),

	PRINCIPALS_ARE_IGNORED(byScope(2, (part) -> "")),

	TENANTS_ARE_IGNORED(byScope(3, (part) -> "")),

	PARTS_ARE_SORTED(byName((key) -> parts(key).map(String::valueOf).sorted().toList())),

	RESULTS_ARE_KEPT_BY_VALUE(KeysContract.class, (server) -> new ServerStore(server) {

		@Override
		Document completed(Document held, StoredResult result, Duration atLeast) {
			server.results.put(held.key().value(), result);
			return super.completed(held, result, atLeast);
		}

		@Override
		IdempotencyRecord toRecord(Document document) {
			return super.toRecord((document.result() != null)
					? document.withResult(server.results.get(document.key().value()), document.completed()) : document);
		}

	}),

	FIND_IGNORES_CASE(KeysContract.class, (server) -> new ServerStore(server) {

		@Override
		public Optional<Inspection> find(IdempotencyKey key) {
			return all().stream()
				.filter((document) -> parts(document.key()).map(String::valueOf)
					.collect(Collectors.joining(","))
					.equalsIgnoreCase(parts(key).map(String::valueOf).collect(Collectors.joining(","))))
				.findFirst()
				.flatMap((document) -> super.find(document.key()));
		}

	}),

	FORGET_REACHES_OTHER_CALLERS(KeysContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(IdempotencyKey key) {
			return server.documents.values()
				.removeIf((document) -> document.key().value().equals(key.value())
						&& document.key().scope().operation().equals(key.scope().operation()));
		}

	}),

	FINGERPRINTS_ARE_CUT(byFingerprint((bytes) -> Arrays.hashCode(Arrays.copyOf(bytes, 16)))),

	FINGERPRINTS_ARE_TEXT(byFingerprint((bytes) -> new String(bytes, StandardCharsets.UTF_8))),

	FINGERPRINTS_ARE_NUMBERS(byFingerprint((bytes) -> new BigInteger(1, bytes))),

	FINGERPRINTS_ARE_HASHED(byFingerprint((bytes) -> Arrays.hashCode(bytes) % 8)),

	FINGERPRINTS_ARE_IGNORED_WHERE_ONE_IS_MISSING(KeysContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isSame(Document document, Fingerprint fingerprint) {
			return super.isSame(document, fingerprint) || fingerprint.equals(Fingerprint.none())
					|| document.fingerprint().equals(Fingerprint.none());
		}

	}),

	RECORDS_ARE_EVICTED(KeysContract.class, (server) -> new ServerStore(server) {

		@Override
		Document fresh(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			evict(this, 1000, (document) -> true);
			return super.fresh(key, fingerprint, terms);
		}

	}),

	RESULTS_ARE_EVICTED(KeysContract.class, (server) -> new ServerStore(server) {

		@Override
		Document fresh(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			evict(this, 2000, (document) -> document.result() != null);
			return super.fresh(key, fingerprint, terms);
		}

	}),

	// Wrong times

	TIMES_ARE_INTS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		long in(Duration duration) {
			return now() + (int) duration.toMillis();
		}

	}),

	TTLS_ARE_INTS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document fresh(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			return super.fresh(key, fingerprint, terms).withExpires(now() + (int) terms.ttl().toMillis());
		}

	}),

	RENEWALS_ARE_INTS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document renewed(Document held, Duration lease) {
			return super.renewed(held, lease).withLeaseEnds(now() + (int) lease.toMillis());
		}

	}),

	RESULTS_ARE_KEPT_FOR_INTS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document completed(Document held, StoredResult result, Duration atLeast) {
			int millis = (int) atLeast.toMillis();
			return super.completed(held, result, Duration.ofMillis(millis));
		}

	}),

	EXTENSIONS_ARE_INTS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document replayed(Document found, ClaimTerms terms) {
			return (terms.onReplay() == OnReplay.EXTEND)
					? found.withExpires(Math.max(found.expires(), now() + (int) terms.ttl().toMillis()))
					: super.replayed(found, terms);
		}

	}),

	TIMES_HAVE_A_MAXIMUM(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		long in(Duration duration) {
			return now() + Math.min(duration.toMillis(), Duration.ofDays(30).toMillis());
		}

	}),

	TIMES_ARE_SECONDS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		long in(Duration duration) {
			return now() + duration.plusMillis(999).toSeconds() * 1000;
		}

	}),

	TIMES_ARE_WHOLE_SECONDS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		long in(Duration duration) {
			return now() + duration.toSeconds() * 1000;
		}

	}),

	REFUSAL_RESTARTS_THE_TTL(byRefusal(
			(store, found, terms) -> found.withExpires(Math.max(found.expires(), store.in(found.terms().ttl()))))),

	REFUSAL_RESTARTS_THE_TTL_WITH_ITS_OWN(
			byRefusal((store, found, terms) -> found.withExpires(Math.max(found.expires(), store.in(terms.ttl()))))),

	REFUSAL_RESTARTS_THE_LEASE(byRefusal((store, found, terms) -> store.hasLeaseExpired(found) ? found
			: found.withLeaseEnds(store.in(found.terms().lease())))),

	REFUSAL_RESTARTS_THE_LEASE_WITH_ITS_OWN(byRefusal((store, found, terms) -> store.hasLeaseExpired(found) ? found
			: found.withLeaseEnds(store.in(terms.lease())))),

	REPLAY_RESTARTS_THE_TTL(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document replayed(Document found, ClaimTerms terms) {
			return super.replayed(found, terms).withExpires(in(found.terms().ttl()));
		}

	}),

	COUNTING_RESTARTS_THE_TTL(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document replayed(Document found, ClaimTerms terms) {
			Document replayed = super.replayed(found, terms);
			return (terms.onReplay() == OnReplay.COUNT) ? replayed.withExpires(in(found.terms().ttl())) : replayed;
		}

	}),

	REPLAY_EXTENDS_BY_THE_FIRST_TTL(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document replayed(Document found, ClaimTerms terms) {
			return (terms.onReplay() == OnReplay.EXTEND)
					? found.withExpires(Math.max(found.expires(), in(found.terms().ttl())))
					: super.replayed(found, terms);
		}

	}),

	FIND_RESTARTS_THE_TTL(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		public Optional<Inspection> find(IdempotencyKey key) {
			visible(read(name(key)))
				.ifPresent((found) -> write(name(key), found, found.withExpires(in(found.terms().ttl()))));
			return super.find(key);
		}

	}),

	COMPLETION_RESTARTS_THE_TTL(byCompletion((store, held, atLeast) -> store.in(held.terms().ttl()))),

	COMPLETION_KEEPS_FOR_THE_LAST_MOMENT_ONLY(byCompletion((store, held, atLeast) -> store.in(atLeast))),

	COMPLETION_ADDS_TO_THE_TTL(byCompletion((store, held, atLeast) -> held.expires() + atLeast.toMillis())),

	COMPLETION_COUNTS_FROM_THE_CLAIM(
			byCompletion((store, held, atLeast) -> Math.max(held.expires(), held.created() + atLeast.toMillis()))),

	COMPLETION_KEEPS_THE_TTL_ONLY(byCompletion((store, held, atLeast) -> held.expires())),

	RENEWAL_RESTARTS_THE_TTL(byRenewal((store, held, lease) -> store.renewed(held, lease)
		.withExpires(Math.max(held.expires(), store.in(held.terms().ttl()))))),

	RENEWAL_SHORTENS_THE_TTL(
			byRenewal((store, held, lease) -> held.withLeaseEnds(store.in(lease)).withExpires(store.in(lease)))),

	RENEWAL_DOES_NOT_KEEP_THE_RECORD(byRenewal((store, held, lease) -> held.withLeaseEnds(store.in(lease)))),

	RENEWALS_ADD_UP(byRenewal((store, held, lease) -> held.withLeaseEnds(held.leaseEnds() + lease.toMillis())
		.withExpires(Math.max(held.expires(), held.leaseEnds() + lease.toMillis())))),

	RENEWALS_ARE_NEVER_SHORTER(byRenewal((store, held, lease) -> store.renewed(held, lease)
		.withLeaseEnds(Math.max(held.leaseEnds(), store.in(lease))))),

	RENEWALS_HAVE_THE_FIRST_LEASE(byRenewal((store, held, lease) -> store.renewed(held, held.terms().lease()))),

	RENEWAL_DOES_NOTHING(byRenewal((store, held, lease) -> held)),

	RENEWAL_RESTARTS_THE_AGE(byRenewal((store, held, lease) -> store.renewed(held, lease).withCreated(store.now()))),

	TAKEOVER_KEEPS_THE_FIRST_TTL(byTakeover((store, found, taken) -> taken.withExpires(found.expires()))),

	TAKEOVER_KEEPS_THE_LONGER_TTL(
			byTakeover((store, found, taken) -> taken.withExpires(Math.max(found.expires(), taken.expires())))),

	TAKEOVER_HAS_THE_FIRST_LEASE(
			byTakeover((store, found, taken) -> taken.withLeaseEnds(store.in(found.terms().lease())))),

	TAKEOVER_RESTARTS_THE_AGE(byTakeover((store, found, taken) -> taken.withCreated(store.now()))),

	RELEASE_RESTARTS_THE_TTL(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			Document released = super.released(held);
			return (released != null) ? released.withExpires(in(held.terms().ttl())) : null;
		}

	}),

	RELEASE_SHORTENS_THE_TTL(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			Document released = super.released(held);
			return (released != null) ? released.withExpires(now() + 10) : null;
		}

	}),

	EXPIRED_RECORDS_ARE_FOUND(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Optional<Document> visible(@Nullable Document document) {
			return Optional.ofNullable(document);
		}

	}),

	EXPIRED_RECORDS_ARE_FORGOTTEN(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(IdempotencyKey key) {
			Document found = read(name(key));
			return found != null && write(name(key), found, null);
		}

	}),

	EXPIRED_RECORDS_ARE_COUNTED(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		List<Document> all() {
			return List.copyOf(server.documents.values());
		}

	}),

	EXPIRED_RECORDS_ARE_STILL_HELD(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isHeld(Document document, Claim claim) {
			return document.owner().equals(claim.owner()) && document.result() == null;
		}

	}),

	EXPIRED_RECORDS_PREVENT_CLAIMS_UNTIL_A_PURGE(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
			return (found != null && isExpired(found)) ? found : super.claimed(key, found, fingerprint, terms);
		}

	}),

	EXPIRED_RECORDS_COUNT_AS_ATTEMPTS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
			Document claimed = super.claimed(key, found, fingerprint, terms);
			return (found != null && isExpired(found)) ? claimed.withAttempt(found.attempt() + 1) : claimed;
		}

	}),

	EXPIRED_RECORDS_KEEP_THEIR_AGE(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
			Document claimed = super.claimed(key, found, fingerprint, terms);
			return (found != null && isExpired(found)) ? claimed.withCreated(found.created()) : claimed;
		}

	}),

	EXPIRED_RECORDS_KEEP_THEIR_REPLAYS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
			Document claimed = super.claimed(key, found, fingerprint, terms);
			return (found != null && isExpired(found)) ? claimed.withReplays(found.replays()) : claimed;
		}

	}),

	LEASE_LEFT_IS_THE_WHOLE_LEASE(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		IdempotencyRecord toRecord(Document document) {
			return (super.toRecord(document) instanceof IdempotencyRecord.InProgress record && !record.isAbandoned())
					? new IdempotencyRecord.InProgress(record.fingerprint(), record.attempt(), record.age(),
							document.terms().lease(), record.trace())
					: super.toRecord(document);
		}

	}),

	PURGE_IGNORES_RENEWALS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return document.result() == null && document.created() + document.terms().ttl().toMillis() <= now();
		}

	}),

	PURGE_IGNORES_WHAT_IS_KEPT_LONGER(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return document.result() != null && document.created() + document.terms().ttl().toMillis() <= now();
		}

	}),

	PURGE_REMOVES_ABANDONED_TAKEOVERS(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return isExpired(document)
					|| (document.attempt() > 1 && document.result() == null && hasLeaseExpired(document));
		}

	}),

	TAKEOVER_COMPLETES_FOR_THE_LAST_MOMENT_ONLY(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document completed(Document held, StoredResult result, Duration atLeast) {
			Document completed = super.completed(held, result, atLeast);
			return (held.attempt() > 1) ? completed.withExpires(in(atLeast)) : completed;
		}

	}),

	LATE_COMPLETION_KEEPS_FOR_THE_LAST_MOMENT_ONLY(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document completed(Document held, StoredResult result, Duration atLeast) {
			Document completed = super.completed(held, result, atLeast);
			return hasLeaseExpired(held) ? completed.withExpires(in(atLeast)) : completed;
		}

	}),

	COMPLETION_REVIVES_THE_EXPIRED_UNTIL_THEY_ARE_FORGOTTEN(TimeContract.class, (server) -> new ServerStore(server) {

		private final ServerStore timeless = endless(server);

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			return this.timeless.complete(claim, result, atLeast);
		}

		@Override
		public boolean forget(IdempotencyKey key) {
			removeExpired(this, key);
			return super.forget(key);
		}

	}),

	RENEWAL_REVIVES_THE_EXPIRED_UNTIL_THEY_ARE_FORGOTTEN(TimeContract.class, (server) -> new ServerStore(server) {

		private final ServerStore timeless = endless(server);

		@Override
		public boolean renew(Claim claim, Duration lease) {
			return this.timeless.renew(claim, lease);
		}

		@Override
		public boolean forget(IdempotencyKey key) {
			removeExpired(this, key);
			return super.forget(key);
		}

	}),

	RELEASE_REVIVES_THE_EXPIRED_UNTIL_THEY_ARE_FORGOTTEN(TimeContract.class, (server) -> new ServerStore(server) {

		private final ServerStore timeless = endless(server);

		@Override
		public boolean release(Claim claim) {
			return this.timeless.release(claim);
		}

		@Override
		public boolean forget(IdempotencyKey key) {
			removeExpired(this, key);
			return super.forget(key);
		}

	}),

	EXPIRED_TAKEOVERS_COUNT_UNTIL_THEY_ARE_FORGOTTEN(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
			Document claimed = super.claimed(key, found, fingerprint, terms);
			return (found != null && isExpired(found) && found.result() == null && found.attempt() > 1)
					? claimed.withAttempt(found.attempt() + 1) : claimed;
		}

		@Override
		public boolean forget(IdempotencyKey key) {
			removeExpired(this, key);
			return super.forget(key);
		}

	}),

	AGE_STARTS_AGAIN_EACH_DAY(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		IdempotencyRecord toRecord(Document document) {
			return (super.toRecord(document) instanceof IdempotencyRecord.InProgress record)
					? new IdempotencyRecord.InProgress(record.fingerprint(), record.attempt(),
							record.age().minusDays(record.age().toDays()), record.leaseLeft(), record.trace())
					: super.toRecord(document);
		}

	}),

	STATES_DIFFER_AT_THE_END_OF_A_LEASE(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		RecordSummary summarize(Document document) {
			// In progress for a millisecond longer than for a claim
			return super.summarize((document.leaseEnds() == now()) ? document.withLeaseEnds(now() + 1) : document);
		}

	}),

	// Crashes

	LATE_RENEWAL_IS_REFUSED(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean renew(Claim claim, Duration lease) {
			return !isLate(this, claim) && super.renew(claim, lease);
		}

	}),

	LATE_COMPLETION_IS_REFUSED(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			return !isLate(this, claim) && super.complete(claim, result, atLeast);
		}

	}),

	LATE_RELEASE_IS_REFUSED(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean release(Claim claim) {
			return !isLate(this, claim) && super.release(claim);
		}

	}),

	LATE_FORGETTING_IS_REFUSED(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(Claim claim) {
			return !isLate(this, claim) && super.forget(claim);
		}

	}),

	LATE_RELEASE_KEEPS_THE_RECORD(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			return hasLeaseExpired(held) ? held.withOwner(UUID.randomUUID()) : super.released(held);
		}

	}),

	LATE_RENEWAL_COUNTS_AS_AN_ATTEMPT(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document renewed(Document held, Duration lease) {
			return super.renewed(hasLeaseExpired(held) ? held.withAttempt(held.attempt() + 1) : held, lease);
		}

	}),

	NO_FINGERPRINT_TAKES_EVERYTHING_OVER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isSame(Document document, Fingerprint fingerprint) {
			return super.isSame(document, fingerprint)
					|| (document.result() == null && fingerprint.equals(Fingerprint.none()));
		}

	}),

	NO_FINGERPRINT_IS_TAKEN_OVER_BY_ANYBODY(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isSame(Document document, Fingerprint fingerprint) {
			return super.isSame(document, fingerprint)
					|| (document.result() == null && document.fingerprint().equals(Fingerprint.none()));
		}

	}),

	NO_FINGERPRINT_IS_NEVER_THE_SAME(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isSame(Document document, Fingerprint fingerprint) {
			return super.isSame(document, fingerprint) && !fingerprint.equals(Fingerprint.none());
		}

	}),

	OTHER_REQUEST_TAKES_OVER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isSame(Document document, Fingerprint fingerprint) {
			return document.result() == null || super.isSame(document, fingerprint);
		}

	}),

	TAKEOVER_DESPITE_THE_TERMS(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean mayTakeOver(Document document, ClaimTerms terms) {
			return true;
		}

	}),

	TAKEOVER_BY_THE_FIRST_TERMS(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean mayTakeOver(Document document, ClaimTerms terms) {
			return document.terms().onCrash() == OnCrash.RETRY;
		}

	}),

	TAKEOVER_BY_BOTH_TERMS(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean mayTakeOver(Document document, ClaimTerms terms) {
			return terms.onCrash() == OnCrash.RETRY && document.terms().onCrash() == OnCrash.RETRY;
		}

	}),

	TAKEOVER_IS_A_FIRST_ATTEMPT(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document takenOver(Document found, ClaimTerms terms) {
			return super.takenOver(found, terms).withAttempt(1);
		}

	}),

	TAKEOVER_IS_COUNTED_ONCE(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document takenOver(Document found, ClaimTerms terms) {
			return super.takenOver(found, terms).withAttempt(2);
		}

	}),

	TAKEOVER_KEEPS_THE_OWNER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		UUID newOwner(IdempotencyKey key, int attempt) {
			return UUID.nameUUIDFromBytes(key.digest());
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			Document found = read(name(key));
			ClaimResult result = super.claim(key, fingerprint, terms);
			Document now = read(name(key));
			return (found != null && now != null && now.attempt() > found.attempt())
					? new ClaimResult.Granted(new Claim(key, now.owner(), now.attempt())) : result;
		}

	}),

	REFUSAL_ENDS_THE_LATE_OWNER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
			Document claimed = super.claimed(key, found, fingerprint, terms);
			if (found != null && claimed.equals(found) && found.result() == null && hasLeaseExpired(found)) {
				overwrite(name(key), found.withOwner(UUID.randomUUID()));
			}
			return claimed;
		}

	}),

	REFUSAL_RESTARTS_AN_EXPIRED_LEASE(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document refused(Document found, ClaimTerms terms) {
			return hasLeaseExpired(found) ? found.withLeaseEnds(in(terms.lease())) : found;
		}

	}),

	ATTEMPT_IS_THE_OWNER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isHeld(Document document, Claim claim) {
			return document.attempt() == claim.attempt() && document.result() == null && !isExpired(document);
		}

	}),

	OWNER_IS_MADE_OF_KEY_AND_ATTEMPT(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		UUID newOwner(IdempotencyKey key, int attempt) {
			return UUID.nameUUIDFromBytes((key.value() + attempt).getBytes(StandardCharsets.UTF_8));
		}

	}),

	ABANDONED_IS_FREE(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
			boolean free = found != null && found.result() == null && hasLeaseExpired(found);
			return free ? fresh(key, fingerprint, terms) : super.claimed(key, found, fingerprint, terms);
		}

	}),

	RELEASE_FORGETS_THE_CRASH(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			return null;
		}

	}),

	RELEASE_REMEMBERS_A_FIRST_ATTEMPT(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			return held.withOwner(UUID.randomUUID()).withLeaseEnds(now());
		}

	}),

	RELEASE_KEEPS_THE_OWNER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			return (held.attempt() > 1) ? held.withLeaseEnds(now()) : null;
		}

	}),

	RELEASE_KEEPS_THE_LEASE(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			return (held.attempt() > 1) ? held.withOwner(UUID.randomUUID()) : null;
		}

	}),

	RELEASE_TAKES_THE_ATTEMPT_BACK(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			Document released = super.released(held);
			return (released != null) ? released.withAttempt(held.attempt() - 1) : null;
		}

	}),

	RELEASE_FORGETS_THE_FINGERPRINT(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			Document released = super.released(held);
			return (released != null) ? released.withFingerprint(Fingerprint.none()) : null;
		}

	}),

	LOST_RENEWAL_HELPS_THE_SUCCESSOR(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean renew(Claim claim, Duration lease) {
			Document found = read(name(claim.key()));
			if (found != null && found.result() == null && !isHeld(found, claim)) {
				write(name(claim.key()), found, renewed(found, lease));
			}
			return super.renew(claim, lease);
		}

	}),

	LOST_COMPLETION_IS_STORED(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			Document found = read(name(claim.key()));
			if (found != null && found.result() == null && !isHeld(found, claim)) {
				write(name(claim.key()), found, completed(found, result, atLeast));
				return false;
			}
			return super.complete(claim, result, atLeast);
		}

	}),

	LOST_RELEASE_IS_DONE(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean release(Claim claim) {
			Document found = read(name(claim.key()));
			if (found != null && found.result() == null && !isHeld(found, claim)) {
				write(name(claim.key()), found, null);
				return false;
			}
			return super.release(claim);
		}

	}),

	TAKEOVERS_END_AT_FIVE(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean mayTakeOver(Document document, ClaimTerms terms) {
			return document.attempt() < 5 && super.mayTakeOver(document, terms);
		}

	}),

	TAKEOVERS_END_AT_TEN(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean mayTakeOver(Document document, ClaimTerms terms) {
			return document.attempt() < 10 && super.mayTakeOver(document, terms);
		}

	}),

	ATTEMPTS_ARE_BYTES(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document takenOver(Document found, ClaimTerms terms) {
			return super.takenOver(found, terms)
				.withAttempt((found.attempt() == Byte.MAX_VALUE) ? 1 : found.attempt() + 1);
		}

	}),

	ATTEMPTS_ARE_UNSIGNED_BYTES(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document takenOver(Document found, ClaimTerms terms) {
			return super.takenOver(found, terms).withAttempt(Math.min(255, found.attempt() + 1));
		}

	}),

	ATTEMPTS_HAVE_ONE_DIGIT(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document takenOver(Document found, ClaimTerms terms) {
			return super.takenOver(found, terms).withAttempt(Math.min(9, found.attempt() + 1));
		}

	}),

	RELEASE_REMEMBERS_ONE_CRASH(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		@Nullable Document released(Document held) {
			return (held.attempt() > 2) ? null : super.released(held);
		}

	}),

	RESULT_IS_OF_THE_FIRST_ATTEMPT(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document completed(Document held, StoredResult result, Duration atLeast) {
			return super.completed(held, result, atLeast).withAttempt(1);
		}

	}),

	// The rest

	TOO_LARGE_RELEASES_THE_CLAIM(byTooLarge((store, claim) -> store.release(claim))),

	TOO_LARGE_COMPLETES_THE_KEY(
			byTooLarge((store, claim) -> store.complete(claim, StoredResult.tombstone(), Duration.ofHours(1)))),

	TOO_LARGE_LOSES_THE_CLAIM(
			byTooLarge((store, claim) -> store.change(claim, (held) -> held.withOwner(UUID.randomUUID())))),

	TOO_LARGE_ENDS_THE_LEASE(
			byTooLarge((store, claim) -> store.change(claim, (held) -> held.withLeaseEnds(store.now())))),

	TOO_LARGE_IS_CUT(byResult((frame) -> (frame.length > 1 << 20) ? Arrays.copyOf(frame, 1 << 20) : frame)),

	RESULTS_ARE_TEXT(byResult((frame) -> new String(frame, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8))),

	RESULTS_ARE_OF_ONE_FORMAT(byResult(
			(frame) -> StoredResult.of(Arrays.copyOfRange(frame, StoredResult.HEADER, frame.length)).toFrame())),

	RESULTS_ARE_PADDED(byResult((frame) -> {
		int end = frame.length;
		while (end > StoredResult.HEADER && (frame[end - 1] == 0 || frame[end - 1] == ' ')) {
			end--;
		}
		return Arrays.copyOf(frame, end);
	})),

	EMPTY_RESULTS_ARE_TOMBSTONES(
			byResult((frame) -> (frame.length == StoredResult.HEADER) ? StoredResult.tombstone().toFrame() : frame)),

	LARGE_RESULTS_ARE_TOMBSTONES(
			byResult((frame) -> (frame.length > 65_535) ? StoredResult.tombstone().toFrame() : frame)),

	COMPLETED_IS_STILL_HELD(IdempotencyStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isHeld(Document document, Claim claim) {
			return document.owner().equals(claim.owner()) && !isExpired(document);
		}

	}),

	RENEWAL_OPENS_WHAT_IS_COMPLETED(IdempotencyStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean renew(Claim claim, Duration lease) {
			Document found = read(name(claim.key()));
			return found != null && found.owner().equals(claim.owner())
					&& write(name(claim.key()), found, renewed(found, lease));
		}

	}),

	REFUSAL_HIDES_THE_RESULT_FROM_OTHER_REQUESTS(IdempotencyStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			ClaimResult result = super.claim(key, fingerprint, terms);
			return (result instanceof ClaimResult.Refused refused
					&& !refused.record().fingerprint().equals(fingerprint)) ? new ClaimResult.Refused(
							new IdempotencyRecord.InProgress(fingerprint, 1, Duration.ZERO, Duration.ofSeconds(1)))
							: result;
		}

	}),

	REPLAYS_COUNT_FOR_OTHER_REQUESTS(ReplaysContract.class, (server) -> new ServerStore(server) {

		@Override
		Document refused(Document found, ClaimTerms terms) {
			return (found.result() != null) ? replayed(found, terms) : found;
		}

	}),

	REPLAYS_COUNT_FROM_ZERO_AFTER_AN_EXTENSION(ReplaysContract.class, (server) -> new ServerStore(server) {

		@Override
		Document replayed(Document found, ClaimTerms terms) {
			Document replayed = super.replayed(found, terms);
			return (terms.onReplay() == OnReplay.EXTEND) ? replayed.withReplays(0) : replayed;
		}

	}),

	REPLAYS_ARE_BYTES(ReplaysContract.class, (server) -> new ServerStore(server) {

		@Override
		Document replayed(Document found, ClaimTerms terms) {
			Document replayed = super.replayed(found, terms);
			return replayed.withReplays(replayed.replays() & Byte.MAX_VALUE);
		}

	}),

	REPLAYS_HAVE_A_MAXIMUM(ReplaysContract.class, (server) -> new ServerStore(server) {

		@Override
		Document replayed(Document found, ClaimTerms terms) {
			Document replayed = super.replayed(found, terms);
			return replayed.withReplays(Math.min(100, replayed.replays()));
		}

	}),

	TRACE_IS_OF_WHOEVER_ASKS(TracesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document refused(Document found, ClaimTerms terms) {
			return found.withTrace(terms.trace());
		}

	}),

	TRACE_IS_OF_THE_FIRST_ATTEMPT(TracesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document takenOver(Document found, ClaimTerms terms) {
			return super.takenOver(found, terms).withTrace(found.trace());
		}

	}),

	PURGE_FORGETS_ITS_LIMIT(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public int purge(int limit) {
			return super.purge(Integer.MAX_VALUE);
		}

	}),

	PURGE_REMOVES_ABANDONED_KEYS(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return isExpired(document) || (document.result() == null && hasLeaseExpired(document));
		}

	}),

	PURGE_SPARES_THE_ABANDONED(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return isExpired(document) && document.result() != null;
		}

	}),

	PURGE_REMOVES_WHAT_IS_LONG_ABANDONED(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return isExpired(document) || (document.result() == null && document.leaseEnds() + 60_000 <= now());
		}

	}),

	PURGE_REMOVES_RESULTS_AFTER_TWO_DAYS(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return isExpired(document)
					|| (document.result() != null && document.completed() + Duration.ofDays(2).toMillis() <= now());
		}

	}),

	PURGE_REMOVES_RESULTS_AFTER_MONTHS(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return isExpired(document)
					|| (document.result() != null && document.completed() + Duration.ofDays(200).toMillis() <= now());
		}

	}),

	PURGE_COMES_A_MOMENT_TOO_EARLY(PurgeableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isPurgeable(Document document) {
			return document.expires() - 1 <= now();
		}

	}),

	// Batches

	RENEWS_400_CLAIMS_AT_MOST(BatchRenewingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			return super.renewAll(claims.subList(0, Math.min(400, claims.size())), lease);
		}

	}),

	RENEWS_499_CLAIMS_AT_MOST(BatchRenewingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			return super.renewAll(claims.subList(0, Math.min(499, claims.size())), lease);
		}

	}),

	RENEWS_FOR_A_LEASE_OF_ITS_OWN(BatchRenewingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			return super.renewAll(claims, Duration.ofSeconds(30));
		}

	}),

	LAST_CLAIM_IS_NEVER_LOST(BatchRenewingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			Set<Claim> lost = super.renewAll(claims, lease);
			lost.remove(claims.get(claims.size() - 1));
			return lost;
		}

	}),

	FIRST_CLAIM_IS_NEVER_LOST(BatchRenewingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			Set<Claim> lost = super.renewAll(claims, lease);
			lost.remove(claims.get(0));
			return lost;
		}

	}),

	RENEWS_UNTIL_A_CLAIM_IS_LOST(BatchRenewingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			for (Claim claim : claims) {
				if (!renew(claim, lease)) {
					return Set.of(claim);
				}
			}
			return Set.of();
		}

	}),

	RENEWED_CLAIMS_ARE_RETURNED(BatchRenewingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			return claims.stream().filter((claim) -> renew(claim, lease)).collect(Collectors.toSet());
		}

	}),

	A_LOST_CLAIM_LOSES_ALL(BatchRenewingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Set<Claim> renewAll(List<Claim> claims, Duration lease) {
			return super.renewAll(claims, lease).isEmpty() ? Set.of() : Set.copyOf(claims);
		}

	}),

	// Search

	SEARCH_IGNORES_THE_STATE(bySearch((filter) -> filter.withState(null))),

	SEARCH_IGNORES_THE_AGE(bySearch((filter) -> filter.withAge(null, null))),

	SEARCH_IGNORES_THE_KEY(bySearch((filter) -> filter.withKey(null))),

	SEARCH_IGNORES_THE_OPERATION(bySearch((filter) -> filter.withOperation(null))),

	SEARCH_IGNORES_THE_ID(bySearch((filter) -> filter.withIdPrefix(null))),

	SEARCH_HAS_A_PAGE_ONLY(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Found search(RecordFilter filter, int offset, int limit) {
			return super.search(filter, 0, limit);
		}

	}),

	SEARCH_BY_ID_IGNORES_THE_NAMESPACE(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Found search(RecordFilter filter, int offset, int limit) {
			NewestRecords newest = new NewestRecords(offset, limit);
			all().stream()
				.map(this::summarize)
				.filter((summary) -> of((filter.idPrefix() != null) ? summary.key().namespace() : filter.namespace(),
						filter)
					.matches(summary, Instant.ofEpochMilli(now())))
				.forEach(newest::add);
			return new Found(newest.page(), true);
		}

	}),

	SEARCH_BY_KEY_IGNORES_THE_NAMESPACE(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Found search(RecordFilter filter, int offset, int limit) {
			NewestRecords newest = new NewestRecords(offset, limit);
			all().stream()
				.map(this::summarize)
				.filter((summary) -> of((filter.key() != null) ? summary.key().namespace() : filter.namespace(), filter)
					.matches(summary, Instant.ofEpochMilli(now())))
				.forEach(newest::add);
			return new Found(newest.page(), true);
		}

	}),

	COUNTS_NAMESPACES_THAT_BEGIN_ALIKE(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Counts count(String namespace) {
			RecordTally tally = new RecordTally();
			all().stream()
				.map(this::summarize)
				.filter((summary) -> summary.key().namespace().startsWith(namespace))
				.forEach((summary) -> tally.add(summary.key().operation(), summary.state(), 1));
			return tally.counts();
		}

	}),

	COUNTS_NAMESPACES_AS_A_PATTERN(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Counts count(String namespace) {
			RecordTally tally = new RecordTally();
			all().stream()
				.map(this::summarize)
				.filter((summary) -> summary.key().namespace().matches(namespace.replace('_', '.')))
				.forEach((summary) -> tally.add(summary.key().operation(), summary.state(), 1));
			return tally.counts();
		}

	}),

	SEARCH_LOSES_THE_LAST_OF_A_FULL_PAGE(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Found search(RecordFilter filter, int offset, int limit) {
			Found found = super.search(filter, offset, limit);
			return (found.records().size() == 100) ? new Found(found.records().subList(0, 99), true) : found;
		}

	}),

	SEARCH_HAS_SMALL_PAGES(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Found search(RecordFilter filter, int offset, int limit) {
			return super.search(filter, offset, Math.min(limit, 50));
		}

	}),

	SEARCH_ENDS_THE_OWNER(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		List<Document> all() {
			List<Document> all = super.all();
			all.forEach((document) -> overwrite(name(document.key()), document.withOwner(UUID.randomUUID())));
			return all;
		}

	}),

	SEARCH_SHOWS_EACH_INSTANCE_ITS_OWN(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		private final Set<Object> own = ConcurrentHashMap.newKeySet();

		@Override
		Document fresh(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			this.own.add(key);
			return super.fresh(key, fingerprint, terms);
		}

		@Override
		List<Document> all() {
			return super.all().stream().filter((document) -> this.own.contains(document.key())).toList();
		}

	}),

	COUNTS_ALL_APPLICATIONS(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Counts count(String namespace) {
			RecordTally tally = new RecordTally();
			all().stream()
				.map(this::summarize)
				.forEach((summary) -> tally.add(summary.key().operation(), summary.state(), 1));
			return tally.counts();
		}

	}),

	FORGET_BY_ID_TELLS_NOBODY(SearchableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(RecordId id) {
			return server.documents.values().removeIf((document) -> RecordId.of(document.key()).equals(id));
		}

	}),

	// Whatever the owner

	RENEW_ASKS_FOR_NO_OWNER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean renew(Claim claim, Duration lease) {
			return super.renew(ofAnybody(this, claim), lease);
		}

	}),

	COMPLETE_ASKS_FOR_NO_OWNER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			return super.complete(ofAnybody(this, claim), result, atLeast);
		}

	}),

	RELEASE_ASKS_FOR_NO_OWNER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean release(Claim claim) {
			return super.release(ofAnybody(this, claim));
		}

	}),

	FORGET_ASKS_FOR_NO_OWNER(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(Claim claim) {
			return super.forget(ofAnybody(this, claim));
		}

	}),

	FORGET_REMEMBERS_THE_CRASH(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(Claim claim) {
			return release(claim);
		}

	}),

	FORGET_SPARES_THE_RUNNING(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public boolean forget(IdempotencyKey key) {
			Document found = read(name(key));
			return found != null && found.result() != null && super.forget(key);
		}

	}),

	FIND_ENDS_THE_OWNER(InspectableStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Optional<Inspection> find(IdempotencyKey key) {
			visible(read(name(key))).ifPresent((found) -> overwrite(name(key), found.withOwner(UUID.randomUUID())));
			return super.find(key);
		}

	}),

	NOBODY_TAKES_OVER(CrashesContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean mayTakeOver(Document document, ClaimTerms terms) {
			return false;
		}

	}),

	TTL_IS_IGNORED(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		boolean isExpired(Document document) {
			return false;
		}

	}),

	// Replays

	EXTENDING_DOES_NOTHING(byReplay(TimeContract.class, (store, found, terms) -> found)),

	EXTENDING_ADDS_UP(byReplay(TimeContract.class,
			(store, found, terms) -> found.withExpires(found.expires() + terms.ttl().toMillis()))),

	EXTENDING_SHORTENS(byReplay(TimeContract.class, (store, found, terms) -> found.withExpires(store.in(terms.ttl())))),

	EXTENDING_COUNTS(byReplay(ReplaysContract.class,
			(store, found, terms) -> found.withReplays(found.replays() + 1)
				.withExpires(Math.max(found.expires(), store.in(terms.ttl()))))),

	EXTENDING_COMPLETES_ANEW(byReplay(InspectableStoreContract.class,
			(store, found, terms) -> found.withResult(found.result(), store.now())
				.withExpires(Math.max(found.expires(), store.in(terms.ttl()))))),

	EXTENDING_SERVES_OTHER_REQUESTS(
			byRefusal((store, found, terms) -> (found.result() != null && terms.onReplay() == OnReplay.EXTEND)
					? found.withExpires(store.in(terms.ttl())) : found)),

	EXTENDING_REACHES_THE_RUNNING(
			byRefusal((store, found, terms) -> (found.result() == null && terms.onReplay() == OnReplay.EXTEND)
					? found.withExpires(store.in(terms.ttl())) : found)),

	EXTENDING_REVIVES_THE_EXPIRED(TimeContract.class, (server) -> new ServerStore(server) {

		@Override
		Document claimed(IdempotencyKey key, @Nullable Document found, Fingerprint fingerprint, ClaimTerms terms) {
			return (found != null && found.result() != null && terms.onReplay() == OnReplay.EXTEND
					&& isSame(found, fingerprint)) ? replayed(found, terms)
							: super.claimed(key, found, fingerprint, terms);
		}

	}),

	READING_COUNTS(ReplaysContract.class, (server) -> new ServerStore(server) {

		@Override
		Document replayed(Document found, ClaimTerms terms) {
			return super.replayed(found, terms).withReplays(found.replays() + 1);
		}

	}),

	TRACE_IS_LOST_ON_COMPLETION(TracesContract.class, (server) -> new ServerStore(server) {

		@Override
		Document completed(Document held, StoredResult result, Duration atLeast) {
			return super.completed(held, result, atLeast).withTrace(null);
		}

	}),

	// Waiters

	SUBSCRIPTIONS_LAST(NotifyingStoreContract.class, (server) -> new ServerStore(server) {

		@Override
		public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
			super.subscribe(key, wakeUp);
			return () -> {
			};
		}

	}),

	EVERYBODY_IS_WOKEN_UP(NotifyingStoreContract.class, (server) -> new ServerStore(server) {

		private final IdempotencyKey everybody = IdempotencyKey.of("all", "all");

		@Override
		public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
			return super.subscribe(this.everybody, wakeUp);
		}

		@Override
		boolean notifying(IdempotencyKey key, boolean ended) {
			return super.notifying(this.everybody, ended);
		}

	});

	private final Class<?> contract;

	@SuppressWarnings("ImmutableEnumChecker")
	private final Function<Server, ServerStore> store;

	WrongStore(Mistake mistake) {
		this(mistake.contract(), mistake.store());
	}

	WrongStore(Class<?> contract, Function<Server, ServerStore> store) {
		this.contract = contract;
		this.store = store;
	}

	/**
	 * The contract that finds it.
	 */
	Class<?> contract() {
		return this.contract;
	}

	ServerStore on(Server server) {
		return this.store.apply(server);
	}

	private static boolean overwritten(ServerStore store, Object name, @Nullable Document document) {
		store.overwrite(name, document);
		return true;
	}

	/**
	 * Looks first, and writes later.
	 */
	private static boolean changeUnchecked(ServerStore store, Claim claim, UnaryOperator<@Nullable Document> change) {
		Document found = store.read(store.name(claim.key()));
		return found != null && store.isHeld(found, claim)
				&& overwritten(store, store.name(claim.key()), change.apply(found));
	}

	private static Claim ofAnybody(ServerStore store, Claim claim) {
		Document found = store.read(store.name(claim.key()));
		return (found != null) ? new Claim(claim.key(), found.owner(), found.attempt()) : claim;
	}

	/**
	 * Removes one record where there are more than so many.
	 */
	private static void evict(ServerStore store, int limit, Predicate<Document> evictable) {
		Map<Object, Document> documents = store.server.documents;
		if (documents.size() > limit) {
			documents.values().stream().filter(evictable).findFirst().ifPresent(documents.values()::remove);
		}
	}

	/**
	 * A store that looks at no ttl.
	 */
	private static ServerStore endless(Server server) {
		return new ServerStore(server) {

			@Override
			boolean isExpired(Document document) {
				return false;
			}

		};
	}

	private static void removeExpired(ServerStore store, IdempotencyKey key) {
		store.server.documents.computeIfPresent(store.name(key),
				(name, document) -> store.isExpired(document) ? null : document);
	}

	private static RecordFilter of(String namespace, RecordFilter filter) {
		return new RecordFilter(namespace, filter.key(), filter.idPrefix(), filter.operation(), filter.state(),
				filter.minAge(), filter.maxAge());
	}

	private static boolean isLate(ServerStore store, Claim claim) {
		Document found = store.read(store.name(claim.key()));
		return found != null && store.hasLeaseExpired(found);
	}

	private static Stream<@Nullable String> parts(IdempotencyKey key) {
		IdempotencyScope scope = key.scope();
		return Stream.of(scope.namespace(), scope.operation(), scope.principal(), scope.tenant(), key.value());
	}

	private static Object with(IdempotencyKey key, String value) {
		return List.of(key.scope(), value);
	}

	private static String cut(String text, int length) {
		return text.substring(0, Math.min(length, text.length()));
	}

	private static String reread(String text, Charset charset) {
		return new String(text.getBytes(charset), charset);
	}

	private static String decoded(String text) {
		try {
			return URLDecoder.decode(text, StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

	private static String asNumber(String text) {
		try {
			return new BigDecimal(text).stripTrailingZeros().toPlainString();
		}
		catch (NumberFormatException ex) {
			return text;
		}
	}

	private static long checksum(@Nullable String text) {
		CRC32 crc = new CRC32();
		crc.update(String.valueOf(text).getBytes(StandardCharsets.UTF_8));
		return crc.getValue();
	}

	private static Mistake byName(Function<IdempotencyKey, Object> name) {
		return new Mistake(KeysContract.class, (server) -> new ServerStore(server) {

			@Override
			Object name(IdempotencyKey key) {
				return name.apply(key);
			}

		});
	}

	/**
	 * Changes a part of the scope: namespace, operation, principal or tenant.
	 */
	private static Mistake byScope(int index, UnaryOperator<String> change) {
		return byName((key) -> {
			List<@Nullable String> parts = parts(key).collect(Collectors.toList());
			String part = parts.get(index);
			if (part != null) {
				parts.set(index, change.apply(part));
			}
			return parts;
		});
	}

	private static Mistake byFingerprint(Function<byte[], Object> view) {
		return new Mistake(KeysContract.class, (server) -> new ServerStore(server) {

			@Override
			boolean isSame(Document document, Fingerprint fingerprint) {
				return view.apply(document.fingerprint().toBytes()).equals(view.apply(fingerprint.toBytes()));
			}

		});
	}

	private static Mistake byRefusal(Step<ClaimTerms, Document> refusal) {
		return new Mistake(TimeContract.class, (server) -> new ServerStore(server) {

			@Override
			Document refused(Document found, ClaimTerms terms) {
				return refusal.apply(this, found, terms);
			}

		});
	}

	private static Mistake byReplay(Class<?> contract, Step<ClaimTerms, Document> extension) {
		return new Mistake(contract, (server) -> new ServerStore(server) {

			@Override
			Document replayed(Document found, ClaimTerms terms) {
				return (terms.onReplay() == OnReplay.EXTEND) ? extension.apply(this, found, terms)
						: super.replayed(found, terms);
			}

		});
	}

	private static Mistake bySearch(UnaryOperator<RecordFilter> mistake) {
		return new Mistake(SearchableStoreContract.class, (server) -> new ServerStore(server) {

			@Override
			public Found search(RecordFilter filter, int offset, int limit) {
				return super.search(mistake.apply(filter), offset, limit);
			}

		});
	}

	private static Mistake byCompletion(Step<Duration, Long> expires) {
		return new Mistake(TimeContract.class, (server) -> new ServerStore(server) {

			@Override
			Document completed(Document held, StoredResult result, Duration atLeast) {
				return held.withResult(result, now()).withExpires(expires.apply(this, held, atLeast));
			}

		});
	}

	private static Mistake byRenewal(Step<Duration, Document> renewal) {
		return new Mistake(TimeContract.class, (server) -> {
			ServerStore right = new ServerStore(server);
			return new ServerStore(server) {

				@Override
				Document renewed(Document held, Duration lease) {
					return renewal.apply(right, held, lease);
				}

			};
		});
	}

	private static Mistake byTakeover(Step<Document, Document> takeover) {
		return new Mistake(TimeContract.class, (server) -> new ServerStore(server) {

			@Override
			Document takenOver(Document found, ClaimTerms terms) {
				return takeover.apply(this, found, super.takenOver(found, terms));
			}

		});
	}

	private static Mistake byTooLarge(BiConsumer<ServerStore, Claim> mistake) {
		return new Mistake(IdempotencyStoreContract.class, (server) -> new ServerStore(server) {

			@Override
			public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
				try {
					return super.complete(claim, result, atLeast);
				}
				catch (ResultTooLargeException ex) {
					mistake.accept(this, claim);
					throw ex;
				}
			}

		});
	}

	private static Mistake byResult(UnaryOperator<byte[]> frame) {
		return new Mistake(IdempotencyStoreContract.class, (server) -> new ServerStore(server) {

			@Override
			Document completed(Document held, StoredResult result, Duration atLeast) {
				return super.completed(held, StoredResult.fromFrame(frame.apply(result.toFrame())), atLeast);
			}

		});
	}

	private record Mistake(Class<?> contract, Function<Server, ServerStore> store) {
	}

	@FunctionalInterface
	private interface Step<T, R> {

		R apply(ServerStore store, Document document, T other);

	}

}
