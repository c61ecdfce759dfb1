package dev.idempotency.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.BatchRenewingStore;
import dev.idempotency.store.Claim;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.PAST_SHORT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.terms;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a {@link BatchRenewingStore}.
 */
public interface BatchRenewingStoreContract extends StoreUnderTest {

	/**
	 * The first and the last one are lost.
	 */
	@Test
	default void renewsManyClaimsAtOnce() {
		List<Claim> claims = Stream.generate(() -> granted(store(), newKey(), terms(SHORT))).limit(500).toList();
		List<Claim> lost = List.of(claims.get(0), claims.get(250), claims.get(499));
		lost.forEach((claim) -> assertThat(store().release(claim)).isTrue());
		assertThat(lostOf(claims, LONG)).containsExactlyInAnyOrderElementsOf(lost);
		claims.stream()
			.filter((claim) -> !lost.contains(claim))
			.forEach((claim) -> assertThat(inProgress(store(), claim.key()).leaseLeft()).isBetween(LONG.minusMinutes(1),
					LONG));
	}

	@Test
	default void renewsManyClaimsOfWhichNoneIsLost() {
		List<Claim> claims = Stream.generate(() -> granted(store(), newKey(), terms(SHORT))).limit(10).toList();
		assertThat(lostOf(claims, LONG)).isEmpty();
		time().pass(PAST_SHORT);
		assertThat(claims).allSatisfy((claim) -> assertThat(inProgress(store(), claim.key()).isAbandoned()).isFalse());
	}

	@Test
	default void renewsOneClaimAsOneOfMany() {
		Claim claim = granted(store(), newKey(), terms(SHORT));
		assertThat(lostOf(List.of(claim), LONG)).isEmpty();
		time().pass(PAST_SHORT);
		assertThat(inProgress(store(), claim.key()).isAbandoned()).isFalse();
	}

	@Test
	default void namesTheClaimsThatAreLostAndRenewsTheOthers() {
		Claim stalled = granted(store(), newKey(), terms(SHORT));
		time().pass(PAST_SHORT);
		Claim next = granted(store(), stalled.key(), terms(SHORT));
		Claim completed = granted(store(), newKey(), terms(SHORT));
		store().complete(completed, RESULT, TTL);
		Claim released = granted(store(), newKey(), terms(SHORT));
		store().release(released);
		Claim claimedAnew = granted(store(), released.key(), terms(SHORT));
		Claim neverClaimed = new Claim(newKey(), next.owner(), 1, next.place());
		Claim held = granted(store(), newKey(), terms(SHORT));
		List<Claim> all = List.of(stalled, held, completed, released, next, neverClaimed, claimedAnew);
		assertThat(lostOf(all, LONG)).containsExactlyInAnyOrder(stalled, completed, released, neverClaimed);
		time().pass(PAST_SHORT);
		for (IdempotencyKey key : List.of(held.key(), next.key(), claimedAnew.key())) {
			assertThat(inProgress(store(), key).isAbandoned()).isFalse();
		}
		assertThat(store().complete(held, RESULT, TTL)).isTrue();
	}

	/**
	 * Renews claims as the engine does: those of each place together.
	 */
	private Set<Claim> lostOf(List<Claim> claims, Duration lease) {
		BatchRenewingStore store = (BatchRenewingStore) store();
		List<Claim> lost = new ArrayList<>();
		claims.stream()
			.collect(Collectors.groupingBy((claim) -> String.valueOf(store.renewalPlace(claim))))
			.values()
			.forEach((ofOnePlace) -> lost.addAll(store.renewAll(ofOnePlace, lease)));
		return Set.copyOf(lost);
	}

}
