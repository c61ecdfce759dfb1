package dev.idempotency.web;

import java.time.Duration;
import java.util.List;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Encrypted answers, and what a client sees when one of them was changed in the store.
 */
class UnreadableAnswerTests {

	@AutoClose
	private final TestServer server = TestServer.start(List.of(WebTestApplication.class, ChangingStore.class),
			"idempotency.encryption.key=AAECAwQFBgcICQoLDA0ODw==", "idempotency.on-store-failure=proceed");

	@Test
	void isToldThatTheRequestWasProcessedAndNothingRunsAgain() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/route").key(key).send();
		assertThat(this.server.post("/kinds/route").key(key).send()).satisfies((retry) -> {
			retry.assertReplayOf(first);
		});
		this.server.bean(ChangingStore.class).changing = true;
		assertThat(this.server.post("/kinds/route").key(key).send()).satisfies((retry) -> {
			assertThat(retry.status()).isEqualTo(409);
			assertThat(retry.text()).contains("urn:idempotency:not-replayable").doesNotContain("encrypt");
		});
		this.server.bean(ChangingStore.class).changing = false;
		assertThat(this.server.post("/kinds/route").key(key).send().body()).isEqualTo(first.body());
	}

	@Component
	static class ChangingStore extends ForwardingStore {

		private volatile boolean changing;

		ChangingStore() {
			super(new InMemoryIdempotencyStore(new MemoryLimits(100, 1 << 20), new MonotonicClock(), (key) -> {
			}));
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			ClaimResult result = super.claim(key, fingerprint, terms);
			if (this.changing && result instanceof ClaimResult.Refused refused
					&& refused.record() instanceof IdempotencyRecord.Completed completed) {
				byte[] frame = completed.result().toFrame().clone();
				frame[frame.length - 1]++;
				return new ClaimResult.Refused(new IdempotencyRecord.Completed(completed.fingerprint(),
						completed.attempt(), StoredResult.fromFrame(frame), completed.replays()));
			}
			return result;
		}

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			assertThat(result.isPacked()).isTrue();
			return super.complete(claim, result, atLeast);
		}

	}

}
