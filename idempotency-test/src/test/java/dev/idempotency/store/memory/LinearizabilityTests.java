package dev.idempotency.store.memory;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

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
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.MovableClock;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

/**
 * Model checking: every answer that several threads can get from the store, in any
 * interleaving of its steps, is one that a plain sequential store could have given.
 */
@Tag("slow")
class LinearizabilityTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration TTL = LEASE.multipliedBy(2);

	@Test
	void everyInterleavingOfTheVerbsIsLinearizable() {
		options().check(InMemoryVerbs.class);
	}

	@Test
	void findsAStoreThatChecksFirstAndActsThen() {
		assertThatExceptionOfType(LincheckAssertionError.class)
			.isThrownBy(() -> options().check(CheckThenActVerbs.class))
			.satisfies((ex) -> assertThat(ex.getMessage())
				.containsPattern("claim\\(1\\): granted 1 +\\| claim\\(2\\): granted 1"));
	}

	/**
	 * The duels in which stores go wrong; in the long run, random ones too.
	 */
	private static ModelCheckingOptions options() {
		ModelCheckingOptions options = new ModelCheckingOptions().iterations(LongRun.choose(0, 150))
			.invocationsPerIteration(LongRun.choose(50, 5000))
			.threads(3)
			.actorsPerThread(3)
			.actorsBefore(2)
			.actorsAfter(1)
			.sequentialSpecification(PlainVerbs.class)
			.addGuarantee(forClasses(LinearizabilityTests::isShared).allMethods().treatAsAtomic())
			.addGuarantee(forClasses(LinearizabilityTests::isNotShared).allMethods().ignore());
		return options.addCustomScenario(duel("", "claim 1 | claim 2", "claim 3"))
			.addCustomScenario(duel("claim 1", "complete 1 | claim 2", "claim 3"))
			.addCustomScenario(duel("claim 1", "release 1 | claim 2, complete 2", "claim 3"))
			.addCustomScenario(duel("claim 1", "release 1 | complete 1 | claim 2", "claim 3"))
			.addCustomScenario(duel("claim 1, passALease", "claim 2 | claim 3", "complete 1"))
			.addCustomScenario(duel("claim 1, passALease", "complete 1 | claim 2, complete 2", "claim 3"))
			.addCustomScenario(duel("claim 1, passALease", "renew 1 | claim 2", "complete 1"))
			.addCustomScenario(duel("claim 1, passALease", "release 1 | claim 2, release 2", "claim 3"))
			.addCustomScenario(duel("claim 1", "passALease, claim 2 | renew 1, complete 1", "claim 3"))
			.addCustomScenario(duel("claim 1", "complete 1 | extend 2", "extend 3"))
			.addCustomScenario(duel("claim 1, complete 1, passALease", "extend 2 | passALease, claim 3", "claim 1"))
			.addCustomScenario(
					duel("claim 1, complete 1, passALease", "extend 2 | extend 3 | passALease", "passALease, claim 1"))
			.addCustomScenario(
					duel("claim 1, complete 1, passALease", "extend 2, passALease | passALease, extend 3", "claim 1"));
	}

	/**
	 * What happens before, on several threads at once, and after.
	 */
	private static ExecutionScenario duel(String before, String atOnce, String after) {
		List<List<Actor>> threads = Stream.of(atOnce.split("\\|", -1)).map(LinearizabilityTests::actors).toList();
		return new ExecutionScenario(actors(before), threads, actors(after), null);
	}

	private static List<Actor> actors(String verbs) {
		return Stream.of(verbs.split(",", -1)).map(String::trim).filter(Predicate.not(String::isEmpty)).map((verb) -> {
			String[] words = verb.split(" ", -1);
			return (words.length == 1) ? new Actor(method(words[0]), List.of())
					: new Actor(method(words[0], int.class), List.of(Integer.valueOf(words[1])));
		}).toList();
	}

	private static Method method(String name, Class<?>... parameters) {
		try {
			return Verbs.class.getMethod(name, parameters);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	/**
	 * What the clock promises of a single call is taken on trust; what the store does
	 * with several is not.
	 */
	private static boolean isShared(String name) {
		return name.equals(MovableClock.class.getName());
	}

	/**
	 * Values, which no other thread can change.
	 */
	private static boolean isNotShared(String name) {
		boolean ours = name.startsWith("dev.idempotency.") && !name.startsWith("dev.idempotency.store.memory.")
				&& !name.equals(IdempotencyStore.class.getName());
		return (ours && !isShared(name)) || name.startsWith("java.time.");
	}

	/**
	 * The five verbs and the passing of time, as the checker calls them: one key, and
	 * claimants that each use the claim they were granted last.
	 */
	@Param(name = "claimant", gen = ThreadIdGen.class)
	public abstract static class Verbs {

		private static final IdempotencyKey KEY = IdempotencyKey.of("test", "key");

		private static final ClaimTerms TERMS = new ClaimTerms(LEASE, TTL, OnCrash.RETRY, OnReplay.READ);

		private static final ClaimTerms EXTENDING = new ClaimTerms(LEASE, TTL, OnCrash.RETRY, OnReplay.EXTEND);

		private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

		private final IdempotencyStore store = store(this.clock);

		private final Map<Integer, Claim> claims = new ConcurrentHashMap<>();

		abstract IdempotencyStore store(MovableClock clock);

		@Operation(params = "claimant")
		public String claim(int claimant) {
			return claim(claimant, TERMS);
		}

		@Operation(params = "claimant")
		public String extend(int claimant) {
			return claim(claimant, EXTENDING);
		}

		private String claim(int claimant, ClaimTerms terms) {
			ClaimResult result = this.store.claim(KEY, Fingerprint.none(), terms);
			if (result instanceof ClaimResult.Granted granted) {
				this.claims.put(claimant, granted.claim());
				return "granted " + granted.claim().attempt();
			}
			IdempotencyRecord record = ((ClaimResult.Refused) result).record();
			return ((record instanceof IdempotencyRecord.Completed) ? "completed " : "in progress ") + record.attempt();
		}

		@Operation(params = "claimant")
		public boolean renew(int claimant) {
			Claim claim = this.claims.get(claimant);
			return claim != null && this.store.renew(claim, LEASE);
		}

		@Operation(params = "claimant")
		public boolean complete(int claimant) {
			Claim claim = this.claims.get(claimant);
			return claim != null && this.store.complete(claim, StoredResult.tombstone(), TTL);
		}

		@Operation(params = "claimant")
		public boolean release(int claimant) {
			Claim claim = this.claims.get(claimant);
			return claim != null && this.store.release(claim);
		}

		@Operation(params = "claimant")
		public boolean abandon(int claimant) {
			Claim claim = this.claims.get(claimant);
			return claim != null && this.store.abandon(claim);
		}

		@Operation
		public void passALease() {
			this.clock.advance(LEASE);
		}

	}

	public static class InMemoryVerbs extends Verbs {

		@Override
		IdempotencyStore store(MovableClock clock) {
			return new InMemoryIdempotencyStore(new MemoryLimits(100, 1 << 20), clock, (key) -> {
			});
		}

	}

	public static class PlainVerbs extends Verbs {

		@Override
		IdempotencyStore store(MovableClock clock) {
			return new PlainStore(clock, new HashMap<>());
		}

	}

	public static class CheckThenActVerbs extends Verbs {

		@Override
		IdempotencyStore store(MovableClock clock) {
			return new PlainStore(clock, new ConcurrentHashMap<>());
		}

	}

	/**
	 * Right on one thread. On several, every verb looks first and acts then: the bug that
	 * makes an operation run twice.
	 */
	private static final class PlainStore implements IdempotencyStore {

		private final MovableClock clock;

		private final Map<IdempotencyKey, Row> rows;

		private long owners;

		private PlainStore(MovableClock clock, Map<IdempotencyKey, Row> rows) {
			this.clock = clock;
			this.rows = rows;
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			long now = this.clock.millis();
			Row row = row(key);
			if (row != null && row.result() != null) {
				if (terms.onReplay() == OnReplay.EXTEND) {
					this.rows.put(key, row.until(now + terms.ttl().toMillis()));
				}
				return new ClaimResult.Refused(
						new IdempotencyRecord.Completed(fingerprint, row.attempt(), row.result(), 0, null));
			}
			if (row != null && row.leaseEnds() > now) {
				return new ClaimResult.Refused(new IdempotencyRecord.InProgress(fingerprint, row.attempt(),
						Duration.ZERO, Duration.ZERO, null));
			}
			int attempt = (row != null) ? row.attempt() + 1 : 1;
			Row next = new Row(++this.owners, attempt, now + terms.lease().toMillis(), now + terms.ttl().toMillis(),
					null);
			this.rows.put(key, next);
			return new ClaimResult.Granted(new Claim(key, new UUID(0, next.owner()), attempt));
		}

		@Override
		public boolean renew(Claim claim, Duration lease) {
			Row held = held(claim);
			if (held != null) {
				long end = this.clock.millis() + lease.toMillis();
				this.rows.put(claim.key(), new Row(held.owner(), held.attempt(), end, held.expires(), null).until(end));
			}
			return held != null;
		}

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			Row held = held(claim);
			if (held != null) {
				this.rows.put(claim.key(), new Row(0, held.attempt(), 0, held.expires(), result)
					.until(this.clock.millis() + atLeast.toMillis()));
			}
			return held != null;
		}

		@Override
		public boolean release(Claim claim) {
			Row held = held(claim);
			if (held != null && held.attempt() == 1) {
				this.rows.remove(claim.key());
			}
			else if (held != null) {
				this.rows.put(claim.key(), new Row(0, held.attempt(), this.clock.millis(), held.expires(), null));
			}
			return held != null;
		}

		@Override
		public boolean abandon(Claim claim) {
			Row held = held(claim);
			if (held != null) {
				this.rows.put(claim.key(), new Row(0, held.attempt(), this.clock.millis(), held.expires(), null));
			}
			return held != null;
		}

		private @Nullable Row row(IdempotencyKey key) {
			Row row = this.rows.get(key);
			return (row != null && row.expires() > this.clock.millis()) ? row : null;
		}

		private @Nullable Row held(Claim claim) {
			Row row = row(claim.key());
			return (row != null && row.owner() == claim.owner().getLeastSignificantBits()) ? row : null;
		}

	}

	private record Row(long owner, int attempt, long leaseEnds, long expires, @Nullable StoredResult result) {

		private Row until(long end) {
			return new Row(this.owner, this.attempt, this.leaseEnds, Math.max(this.expires, end), this.result);
		}

	}

}
