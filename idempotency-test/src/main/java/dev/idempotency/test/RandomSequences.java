package dev.idempotency.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares a store with a model in random sequences of calls, on one thread and inside
 * one lease. A failure shows the seed and the calls so far.
 */
final class RandomSequences {

	private static final List<Fingerprint> FINGERPRINTS = List.of(Fingerprint.none(), Scene.FINGERPRINT,
			Scene.OTHER_FINGERPRINT);

	private final IdempotencyStore store;

	private final long seed;

	private final Random random;

	RandomSequences(IdempotencyStore store, long seed) {
		this.store = store;
		this.seed = seed;
		this.random = new Random(seed);
	}

	void run(int sequences, int length) {
		for (int i = 0; i < sequences; i++) {
			List<Model> models = List.of(new Model(Scene.newKey()), new Model(Scene.newKey()));
			StringBuilder story = new StringBuilder("seed " + this.seed);
			for (int step = 0; step < length; step++) {
				oneOf(models).step(story);
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

		private final IdempotencyKey key;

		private final List<Claim> claims = new ArrayList<>();

		private @Nullable Claim holder;

		private @Nullable Fingerprint fingerprint;

		private @Nullable StoredResult result;

		private Model(IdempotencyKey key) {
			this.key = key;
		}

		private void step(StringBuilder story) {
			int verb = RandomSequences.this.random.nextInt(5);
			if (verb < 2 || this.claims.isEmpty()) {
				claim(story);
				return;
			}
			Claim claim = oneOf(this.claims);
			boolean held = claim.equals(this.holder);
			story.append('\n').append(List.of("renew ", "complete ", "release ").get(verb - 2)).append(claim);
			boolean accepted = (verb == 2) ? RandomSequences.this.store.renew(claim, Scene.LONG)
					: (verb == 3) ? complete(claim, held) : release(claim, held);
			assertThat(accepted).as(story.toString()).isEqualTo(held);
		}

		private void claim(StringBuilder story) {
			Fingerprint asked = oneOf(FINGERPRINTS);
			story.append("\nclaim ").append(this.key).append(" for ").append(asked);
			ClaimResult answer = RandomSequences.this.store.claim(this.key, asked, Scene.terms(Scene.LONG));
			if (this.fingerprint == null) {
				assertThat(answer).as(story.toString()).isInstanceOf(ClaimResult.Granted.class);
				this.fingerprint = asked;
				this.holder = Scene.granted(answer);
				this.claims.add(this.holder);
				return;
			}
			assertThat(answer).as(story.toString()).isInstanceOf(ClaimResult.Refused.class);
			IdempotencyRecord record = Scene.refused(answer);
			assertThat(record.fingerprint()).as(story.toString()).isEqualTo(this.fingerprint);
			assertThat((record instanceof IdempotencyRecord.Completed completed) ? completed.result() : null)
				.as(story.toString())
				.isEqualTo(this.result);
		}

		private boolean complete(Claim claim, boolean held) {
			StoredResult next = Scene.result("result " + RandomSequences.this.random.nextInt());
			if (held) {
				this.holder = null;
				this.result = next;
			}
			return RandomSequences.this.store.complete(claim, next, Scene.TTL);
		}

		private boolean release(Claim claim, boolean held) {
			if (held) {
				this.holder = null;
				this.fingerprint = null;
			}
			return RandomSequences.this.store.release(claim);
		}

	}

}
