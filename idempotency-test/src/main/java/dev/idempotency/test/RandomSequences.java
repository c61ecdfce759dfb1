package dev.idempotency.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares a store with a model in random sequences of calls, each on one of two
 * instances. A failure shows the seed and the calls so far.
 */
final class RandomSequences {

	private static final List<Fingerprint> FINGERPRINTS = List.of(Fingerprint.none(), Scene.FINGERPRINT,
			Scene.OTHER_FINGERPRINT);

	/**
	 * After so many steps, the leases that are brief expire.
	 */
	private static final int STEPS_OF_A_LEASE = 4;

	private final StoreUnderTest test;

	private final long seed;

	private final Random random;

	RandomSequences(StoreUnderTest test, long seed) {
		this.test = test;
		this.seed = seed;
		this.random = new Random(seed);
	}

	/**
	 * Runs all sequences side by side, so that they wait together for leases to expire.
	 */
	void run(int sequences, int length) {
		List<Model> models = Stream.generate(Model::new).limit(sequences).toList();
		for (int step = 1; step <= length; step++) {
			models.forEach(Model::step);
			if (step % STEPS_OF_A_LEASE == 0) {
				this.test.time().pass(Scene.PAST_BRIEF);
				models.forEach(Model::expire);
			}
		}
	}

	private <T> T oneOf(List<T> list) {
		return list.get(this.random.nextInt(list.size()));
	}

	/**
	 * The expected state of one key, and all claims that were ever granted for it.
	 */
	private final class Model {

		private final IdempotencyKey key = Scene.newKey();

		private final StringBuilder story = new StringBuilder("seed " + RandomSequences.this.seed);

		private final List<Claim> claims = new ArrayList<>();

		/**
		 * Who may still write: also after the lease, until somebody takes over.
		 */
		private @Nullable Claim holder;

		private @Nullable Fingerprint fingerprint;

		private @Nullable StoredResult result;

		private int attempt;

		private Lease lease = Lease.LONG;

		private void step() {
			if (this.lease == Lease.BRIEF) {
				// Whether it has expired already, only the store knows
				return;
			}
			IdempotencyStore store = oneOf(
					List.of(RandomSequences.this.test.store(), RandomSequences.this.test.otherInstance()));
			int verb = RandomSequences.this.random.nextInt((store instanceof InspectableStore) ? 10 : 8);
			if (verb < 3 || this.claims.isEmpty()) {
				claim(store);
				return;
			}
			Claim claim = oneOf(this.claims);
			boolean held = claim.equals(this.holder);
			boolean known = this.fingerprint != null;
			switch (verb) {
				case 3 -> check("renew", claim, renew(store, claim, held), held);
				case 4, 5 -> check("complete", claim, complete(store, claim, held), held);
				case 6 -> check("release", claim, release(store, claim, held), held);
				case 7 -> check("abandon", claim, abandon(store, claim, held), held);
				case 8 -> check("forget", claim, forget((InspectableStore) store, claim, held), held);
				default -> {
					check("find", claim, ((InspectableStore) store).find(this.key).isPresent(), known);
					if (RandomSequences.this.random.nextInt(3) == 0) {
						this.holder = null;
						this.fingerprint = null;
						check("forget key of", claim, ((InspectableStore) store).forget(this.key), known);
					}
				}
			}
		}

		private void check(String verb, Claim claim, boolean accepted, boolean expected) {
			tell("%s %s: %s".formatted(verb, claim, accepted));
			assertThat(accepted).as(this.story::toString).isEqualTo(expected);
		}

		private void tell(String call) {
			this.story.append('\n').append(call);
		}

		private void expire() {
			if (this.lease == Lease.BRIEF) {
				tell("its lease expires");
				this.lease = Lease.EXPIRED;
			}
		}

		private void claim(IdempotencyStore store) {
			Fingerprint asked = oneOf(FINGERPRINTS);
			OnCrash onCrash = oneOf(List.of(OnCrash.RETRY, OnCrash.RETRY, OnCrash.REFUSE));
			Lease lease = oneOf(List.of(Lease.LONG, Lease.BRIEF));
			tell("claim for %s, %s, with a %s lease".formatted(asked, onCrash, lease));
			ClaimResult answer = store.claim(this.key, asked,
					new ClaimTerms(lease.duration, Scene.TTL, onCrash, OnReplay.READ));
			boolean takeover = this.fingerprint != null && this.result == null && this.lease == Lease.EXPIRED
					&& asked.equals(this.fingerprint) && onCrash == OnCrash.RETRY;
			if (this.fingerprint == null || takeover) {
				assertThat(answer).as(this.story::toString).isInstanceOf(ClaimResult.Granted.class);
				this.attempt = takeover ? this.attempt + 1 : 1;
				this.fingerprint = asked;
				this.result = null;
				this.lease = lease;
				this.holder = Scene.granted(answer);
				this.claims.add(this.holder);
				assertThat(this.holder.attempt()).as(this.story::toString).isEqualTo(this.attempt);
				return;
			}
			assertThat(answer).as(this.story::toString).isInstanceOf(ClaimResult.Refused.class);
			IdempotencyRecord record = Scene.refused(answer);
			assertThat(record.fingerprint()).as(this.story::toString).isEqualTo(this.fingerprint);
			assertThat(record.attempt()).as(this.story::toString).isEqualTo(this.attempt);
			if (record instanceof IdempotencyRecord.InProgress running) {
				assertThat(this.result).as(this.story::toString).isNull();
				assertThat(running.isAbandoned()).as(this.story::toString).isEqualTo(this.lease == Lease.EXPIRED);
			}
			else {
				assertThat(((IdempotencyRecord.Completed) record).result()).as(this.story::toString)
					.isEqualTo(this.result);
			}
		}

		private boolean renew(IdempotencyStore store, Claim claim, boolean held) {
			this.lease = held ? Lease.LONG : this.lease;
			return store.renew(claim, Scene.LONG);
		}

		private boolean complete(IdempotencyStore store, Claim claim, boolean held) {
			StoredResult next = Scene.result("result " + RandomSequences.this.random.nextInt());
			if (held) {
				this.holder = null;
				this.result = next;
			}
			return store.complete(claim, next, Scene.TTL);
		}

		private boolean release(IdempotencyStore store, Claim claim, boolean held) {
			if (held) {
				this.holder = null;
				this.lease = Lease.EXPIRED;
				this.fingerprint = (this.attempt > 1) ? this.fingerprint : null;
			}
			return store.release(claim);
		}

		private boolean abandon(IdempotencyStore store, Claim claim, boolean held) {
			if (held) {
				this.holder = null;
				this.lease = Lease.EXPIRED;
			}
			return store.abandon(claim);
		}

		private boolean forget(InspectableStore store, Claim claim, boolean held) {
			if (held) {
				this.holder = null;
				this.fingerprint = null;
			}
			return store.forget(claim);
		}

	}

	private enum Lease {

		LONG(Scene.LONG), BRIEF(Scene.BRIEF), EXPIRED(Duration.ZERO);

		private final Duration duration;

		Lease(Duration duration) {
			this.duration = duration;
		}

	}

}
