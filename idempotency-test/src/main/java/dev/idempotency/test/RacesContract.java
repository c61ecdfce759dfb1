package dev.idempotency.test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.ShutdownAwareStore;
import dev.idempotency.store.ShutdownAwareStore.Loss;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.BRIEF;
import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.PAST_BRIEF;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.claim;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.refused;
import static dev.idempotency.test.Scene.result;
import static dev.idempotency.test.Scene.terms;
import static dev.idempotency.test.Scene.withoutTakeover;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract about two instances that use the same keys at the same moment. Each verb
 * meets each other one that it could undo. A lock inside of an instance does not help
 * there, and neither does a condition that is checked before the write.
 */
interface RacesContract extends StoreUnderTest {

	/**
	 * Over so many keys two verbs meet, because only some meetings fall into a gap.
	 */
	int MEETINGS = 60;

	private static List<IdempotencyKey> newKeys() {
		return Stream.generate(Scene::newKey).limit(MEETINGS).toList();
	}

	private List<Claim> newClaims() {
		return Stream.generate(() -> granted(store(), newKey())).limit(MEETINGS).toList();
	}

	/**
	 * One of many claims is granted, and the others learn of it at once.
	 */
	private void grantsOneClaimOfEach(List<IdempotencyKey> keys, int attempt) {
		Function<IdempotencyKey, ClaimResult> here = (key) -> claim(store(), key);
		Function<IdempotencyKey, ClaimResult> there = (key) -> claim(otherInstance(), key);
		List<List<ClaimResult>> meetings = Race.meet(keys, List.of(here, there, here, there, here, there));
		for (List<ClaimResult> results : meetings) {
			List<Claim> claims = new ArrayList<>();
			for (ClaimResult result : results) {
				if (result instanceof ClaimResult.Granted granted) {
					claims.add(granted.claim());
				}
				else {
					IdempotencyRecord.InProgress record = inProgress(result);
					assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
					assertThat(record.attempt()).isEqualTo(attempt);
					assertThat(record.isAbandoned()).isFalse();
				}
			}
			assertThat(claims).singleElement().satisfies((claim) -> {
				assertThat(claim.attempt()).isEqualTo(attempt);
				assertThat(store().complete(claim, RESULT, TTL)).isTrue();
				assertThat(completed(otherInstance(), claim.key()).result()).isEqualTo(RESULT);
			});
		}
	}

	/**
	 * Lets what the owner of a claim does meet what happens on the other instance.
	 */
	private static List<List<Object>> meet(List<Claim> claims, Function<Claim, Object> owner,
			Function<Claim, Object> other) {
		return Race.meet(claims, List.of(owner, other));
	}

	@Test
	default void hasAnotherInstanceUnlessItsRecordsEndWithTheObject() {
		boolean endsWithTheObject = store() instanceof ShutdownAwareStore aware
				&& aware.lostAtShutdown() == Loss.RECORDS;
		assertThat(otherInstance() == store()).as("otherInstance() is the store itself").isEqualTo(endsWithTheObject);
		assertThat(otherInstance()).as("the other instance").hasSameClassAs(store());
	}

	@Test
	default void givesEachClaimAnOwnerOfItsOwn() {
		Set<UUID> owners = new HashSet<>();
		for (int i = 0; i < 20; i++) {
			for (IdempotencyStore instance : List.of(store(), otherInstance())) {
				IdempotencyKey key = newKey();
				assertThat(owners.add(granted(instance, key).owner())).as("a new owner").isTrue();
			}
		}
	}

	// Claims

	@Test
	default void grantsAKeyToOneOfAHundredThreads() {
		IdempotencyKey key = newKey();
		List<ClaimResult> results = Race.run(100, () -> claim(store(), key));
		assertThat(results).filteredOn(ClaimResult.Granted.class::isInstance).hasSize(1);
	}

	@Test
	default void grantsAFreshKeyToOneOfTwoInstances() {
		grantsOneClaimOfEach(newKeys(), 1);
	}

	/**
	 * Who looks on without taking over sees a claim with all that belongs to it.
	 */
	@Test
	default void grantsAKeyInOneStep() {
		Function<IdempotencyKey, ClaimResult> claim = (key) -> claim(store(), key);
		Function<IdempotencyKey, ClaimResult> look = (key) -> otherInstance().claim(key, FINGERPRINT,
				withoutTakeover());
		for (List<ClaimResult> results : Race.meet(newKeys(), List.of(claim, look, look))) {
			assertThat(results).filteredOn(ClaimResult.Granted.class::isInstance).hasSize(1);
			assertThat(results).filteredOn(ClaimResult.Refused.class::isInstance)
				.allSatisfy((result) -> assertThat(inProgress(result).isAbandoned()).isFalse());
		}
	}

	@Test
	default void grantsATakeoverToOneOfTwoInstances() {
		grantsOneClaimOfEach(keysOf(abandoned(this, MEETINGS)), 2);
	}

	@Test
	default void grantsAKeyWhoseTtlIsOverToOneOfTwoInstances() {
		List<Claim> abandoned = Stream.generate(() -> granted(store(), newKey(), terms(BRIEF, BRIEF)))
			.limit(MEETINGS)
			.toList();
		time().pass(PAST_BRIEF);
		grantsOneClaimOfEach(keysOf(abandoned), 1);
	}

	@Test
	default void grantsAReleasedTakeoverToOneOfTwoInstances() {
		List<IdempotencyKey> keys = keysOf(abandoned(this, MEETINGS));
		keys.forEach((key) -> assertThat(store().release(granted(store(), key))).isTrue());
		grantsOneClaimOfEach(keys, 3);
	}

	private static List<IdempotencyKey> keysOf(List<Claim> claims) {
		return claims.stream().map(Claim::key).toList();
	}

	@Test
	default void runsEachOfManyKeysOnce() {
		Function<IdempotencyKey, Boolean> here = (key) -> run(store(), key);
		Function<IdempotencyKey, Boolean> there = (key) -> run(otherInstance(), key);
		assertThat(Race.meet(newKeys(), List.of(here, there, here, there)))
			.allSatisfy((executed) -> assertThat(executed).containsOnlyOnce(true));
	}

	private static boolean run(IdempotencyStore instance, IdempotencyKey key) {
		return claim(instance, key) instanceof ClaimResult.Granted granted
				&& instance.complete(granted.claim(), RESULT, TTL);
	}

	// A late owner meets a takeover

	@Test
	default void letsEitherALateCompletionOrATakeoverWin() {
		List<Claim> claims = abandoned(this, MEETINGS);
		List<List<Object>> meetings = meet(claims, (late) -> store().complete(late, RESULT, TTL),
				(late) -> claim(otherInstance(), late.key()));
		for (int i = 0; i < MEETINGS; i++) {
			ClaimResult claimed = (ClaimResult) meetings.get(i).get(1);
			if (meetings.get(i).get(0).equals(true)) {
				assertThat(completed(claimed).result()).isEqualTo(RESULT);
				assertThat(completed(store(), claims.get(i).key()).result()).isEqualTo(RESULT);
			}
			else {
				isHeldBy(granted(claimed), 2);
			}
		}
	}

	@Test
	default void letsEitherALateRenewalOrATakeoverWin() {
		List<Claim> claims = abandoned(this, MEETINGS);
		List<List<Object>> meetings = meet(claims, (late) -> store().renew(late, LONG),
				(late) -> claim(otherInstance(), late.key()));
		for (int i = 0; i < MEETINGS; i++) {
			ClaimResult claimed = (ClaimResult) meetings.get(i).get(1);
			if (meetings.get(i).get(0).equals(true)) {
				assertThat(inProgress(claimed).isAbandoned()).isFalse();
				isHeldBy(claims.get(i), 1);
			}
			else {
				isHeldBy(granted(claimed), 2);
			}
		}
	}

	@Test
	default void letsATakeoverSucceedThatMeetsALateRelease() {
		List<List<Object>> meetings = meet(abandoned(this, MEETINGS), (late) -> store().release(late),
				(late) -> claim(otherInstance(), late.key()));
		for (List<Object> meeting : meetings) {
			isHeldBy(granted((ClaimResult) meeting.get(1)), meeting.get(0).equals(true) ? 1 : 2);
		}
	}

	private void isHeldBy(Claim claim, int attempt) {
		assertThat(claim.attempt()).isEqualTo(attempt);
		assertThat(inProgress(store(), claim.key()).attempt()).isEqualTo(attempt);
		assertThat(otherInstance().complete(claim, RESULT, TTL)).isTrue();
	}

	// An owner meets itself, as its renewals do

	@Test
	default void losesNoResultToARenewal() {
		List<Claim> claims = newClaims();
		assertThat(meet(claims, (claim) -> store().complete(claim, RESULT, TTL),
				(claim) -> otherInstance().renew(claim, LONG)))
			.allSatisfy((meeting) -> assertThat(meeting.get(0)).isEqualTo(true));
		assertThat(claims)
			.allSatisfy((claim) -> assertThat(completed(store(), claim.key()).result()).isEqualTo(RESULT));
	}

	@Test
	default void losesNoReleaseToARenewal() {
		List<Claim> claims = newClaims();
		assertThat(meet(claims, (claim) -> store().release(claim), (claim) -> otherInstance().renew(claim, LONG)))
			.allSatisfy((meeting) -> assertThat(meeting.get(0)).isEqualTo(true));
		assertThat(claims).allSatisfy((claim) -> assertThat(granted(store(), claim.key()).attempt()).isEqualTo(1));
	}

	@Test
	default void completesAKeyOnce() {
		List<Claim> claims = newClaims();
		List<List<Object>> meetings = meet(claims, (claim) -> store().complete(claim, result("here"), TTL),
				(claim) -> otherInstance().complete(claim, result("there"), TTL));
		for (int i = 0; i < MEETINGS; i++) {
			assertThat(meetings.get(i)).containsOnlyOnce(true);
			assertThat(completed(store(), claims.get(i).key()).result())
				.isEqualTo(result(meetings.get(i).get(0).equals(true) ? "here" : "there"));
		}
	}

	@Test
	default void eitherCompletesOrReleases() {
		eitherCompletesOr((claim) -> otherInstance().release(claim), 1);
	}

	@Test
	default void eitherCompletesOrAbandons() {
		eitherCompletesOr((claim) -> otherInstance().abandon(claim), 2);
	}

	private void eitherCompletesOr(Function<Claim, Object> end, int nextAttempt) {
		List<Claim> claims = newClaims();
		List<List<Object>> meetings = meet(claims, (claim) -> store().complete(claim, RESULT, TTL), end);
		for (int i = 0; i < MEETINGS; i++) {
			assertThat(meetings.get(i)).containsOnlyOnce(true);
			ClaimResult next = claim(store(), claims.get(i).key());
			if (meetings.get(i).get(0).equals(true)) {
				assertThat(completed(next).result()).isEqualTo(RESULT);
			}
			else {
				assertThat(granted(next).attempt()).isEqualTo(nextAttempt);
			}
		}
	}

	@Test
	default void eitherReleasesOrAbandons() {
		List<Claim> claims = newClaims();
		List<List<Object>> meetings = meet(claims, (claim) -> store().release(claim),
				(claim) -> otherInstance().abandon(claim));
		for (int i = 0; i < MEETINGS; i++) {
			assertThat(meetings.get(i)).containsOnlyOnce(true);
			boolean released = meetings.get(i).get(0).equals(true);
			assertThat(granted(store(), claims.get(i).key()).attempt()).isEqualTo(released ? 1 : 2);
		}
	}

	@Test
	default void losesNoAbandonedKeyToARenewal() {
		List<Claim> claims = newClaims();
		assertThat(meet(claims, (claim) -> store().abandon(claim), (claim) -> otherInstance().renew(claim, LONG)))
			.allSatisfy((meeting) -> assertThat(meeting.get(0)).isEqualTo(true));
		assertThat(claims).allSatisfy((claim) -> assertThat(granted(store(), claim.key()).attempt()).isEqualTo(2));
	}

	@Test
	default void releasesAKeyOnce() {
		assertThat(meet(newClaims(), (claim) -> store().release(claim), (claim) -> otherInstance().release(claim)))
			.allSatisfy((released) -> assertThat(released).containsOnlyOnce(true));
	}

	// A claim that is refused meets the owner

	@Test
	default void refusesAClaimThatMeetsACompletionWithAllOfTheResultOrNothing() {
		List<Claim> claims = newClaims();
		List<List<Object>> meetings = meet(claims, (claim) -> store().complete(claim, RESULT, TTL),
				(claim) -> claim(otherInstance(), claim.key()));
		for (int i = 0; i < MEETINGS; i++) {
			assertThat(meetings.get(i).get(0)).isEqualTo(true);
			if (refused((ClaimResult) meetings.get(i).get(1)) instanceof IdempotencyRecord.Completed record) {
				assertThat(record.result()).isEqualTo(RESULT);
			}
			assertThat(completed(store(), claims.get(i).key()).result()).isEqualTo(RESULT);
		}
	}

	@Test
	default void losesNoReleaseToAClaimThatIsRefused() {
		List<Claim> claims = newClaims();
		List<List<Object>> meetings = meet(claims, (claim) -> store().release(claim),
				(claim) -> claim(otherInstance(), claim.key()));
		for (int i = 0; i < MEETINGS; i++) {
			assertThat(meetings.get(i).get(0)).isEqualTo(true);
			isHeldBy(meetings.get(i).get(1) instanceof ClaimResult.Granted granted ? granted.claim()
					: granted(store(), claims.get(i).key()), 1);
		}
	}

	@Test
	default void agreesWithTheModelOnRandomSequences() {
		new RandomSequences(this, System.nanoTime()).run(100, 40);
	}

}
