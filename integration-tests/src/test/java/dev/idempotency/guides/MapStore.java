package dev.idempotency.guides;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * The store of {@code docs/writing-a-store.md}: the four verbs over a map, and no further
 * ability.
 */
final class MapStore implements IdempotencyStore {

	private final Clock clock;

	private final Map<IdempotencyKey, Row> rows = new ConcurrentHashMap<>();

	MapStore(Clock clock) {
		this.clock = clock;
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		long now = this.clock.millis();
		Row claimed = Row.claimed(fingerprint, 1, terms, now);
		Row row = Objects.requireNonNull(this.rows.compute(key, (same, found) -> {
			if (found == null || found.expires() <= now) {
				return claimed;
			}
			if (found.result() != null) {
				return found.fingerprint().equals(fingerprint) ? found.replayed(terms, now) : found;
			}
			boolean mayTakeOver = terms.onCrash() == OnCrash.RETRY && found.fingerprint().equals(fingerprint);
			return (mayTakeOver && found.leaseEnds() <= now) ? claimed.after(found) : found;
		}));
		return row.owner().equals(claimed.owner()) ? new ClaimResult.Granted(new Claim(key, row.owner(), row.attempt()))
				: new ClaimResult.Refused(row.toRecord(now));
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		long end = this.clock.millis() + lease.toMillis();
		return changeIfHeld(claim, (row) -> row.withLease(end, Math.max(row.expires(), end)));
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration ttl) {
		long expires = this.clock.millis() + ttl.toMillis();
		return changeIfHeld(claim, (row) -> row.withResult(result, expires));
	}

	@Override
	public boolean release(Claim claim) {
		long now = this.clock.millis();
		return changeIfHeld(claim, (row) -> (row.attempt() > 1) ? row.abandoned(now) : null);
	}

	/**
	 * Every write after the claim depends on its owner, and on nothing else.
	 */
	private boolean changeIfHeld(Claim claim, Function<Row, @Nullable Row> change) {
		long now = this.clock.millis();
		AtomicBoolean held = new AtomicBoolean();
		this.rows.computeIfPresent(claim.key(), (same, row) -> {
			held.set(row.owner().equals(claim.owner()) && row.result() == null && row.expires() > now);
			return held.get() ? change.apply(row) : row;
		});
		return held.get();
	}

	private record Row(Fingerprint fingerprint, UUID owner, int attempt, long created, long leaseEnds, long expires,
			@Nullable StoredResult result, long replays, @Nullable String trace) {

		private static Row claimed(Fingerprint fingerprint, int attempt, ClaimTerms terms, long now) {
			return new Row(fingerprint, UUID.randomUUID(), attempt, now, now + terms.lease().toMillis(),
					now + terms.ttl().toMillis(), null, 0, terms.trace());
		}

		private Row after(Row vanished) {
			return new Row(this.fingerprint, this.owner, vanished.attempt + 1, vanished.created, this.leaseEnds,
					this.expires, null, 0, this.trace);
		}

		private Row withLease(long leaseEnds, long expires) {
			return new Row(this.fingerprint, this.owner, this.attempt, this.created, leaseEnds, expires, null, 0,
					this.trace);
		}

		private Row withResult(StoredResult result, long expires) {
			return new Row(this.fingerprint, this.owner, this.attempt, this.created, 0, expires, result, 0, this.trace);
		}

		/**
		 * Free at once, and nobody's: the next attempt still knows that it is not the
		 * first.
		 */
		private Row abandoned(long now) {
			return new Row(this.fingerprint, UUID.randomUUID(), this.attempt, this.created, now, this.expires, null, 0,
					this.trace);
		}

		private Row replayed(ClaimTerms terms, long now) {
			boolean counts = terms.onReplay() == OnReplay.COUNT;
			boolean extend = terms.onReplay() == OnReplay.EXTEND;
			return new Row(this.fingerprint, this.owner, this.attempt, this.created, 0,
					extend ? Math.max(this.expires, now + terms.ttl().toMillis()) : this.expires, this.result,
					counts ? this.replays + 1 : this.replays, this.trace);
		}

		private IdempotencyRecord toRecord(long now) {
			return (this.result != null)
					? new IdempotencyRecord.Completed(this.fingerprint, this.attempt, this.result, this.replays,
							this.trace)
					: new IdempotencyRecord.InProgress(this.fingerprint, this.attempt,
							Duration.ofMillis(now - this.created), Duration.ofMillis(this.leaseEnds - now), this.trace);
		}

	}

}
