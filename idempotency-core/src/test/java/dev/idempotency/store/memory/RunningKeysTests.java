package dev.idempotency.store.memory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RunningKeysTests {

	private static final ClaimTerms TERMS = new ClaimTerms(Duration.ofSeconds(30), Duration.ofHours(1), OnCrash.RETRY,
			OnReplay.READ);

	private static final UUID OWNER = new UUID(1, 1);

	private Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private final RunningKeys keys = new RunningKeys(new Clock() {

		@Override
		public ZoneOffset getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			return this;
		}

		@Override
		public Instant instant() {
			return RunningKeysTests.this.now;
		}

	});

	@Test
	void aKeyThatIsOverIsNotThere() {
		begin("over");
		this.now = this.now.plus(Duration.ofHours(1).minusMillis(1));
		assertThat(this.keys.get(key("over"))).isNotNull();
		this.now = this.now.plusMillis(1);
		assertThat(this.keys.get(key("over"))).isNull();
		this.keys.forEach((key, entry) -> assertThat(key).isNull());
		assertThat(this.keys.changeIfHeld(new Claim(key("over"), OWNER, 1), (entry, now) -> entry)).isFalse();
		assertThat(this.keys.keys()).isEmpty();
	}

	@Test
	void dropsKeysThatAreOverThoughNobodyAsksForThem() {
		for (int i = 0; i < 1000; i++) {
			begin("over " + i);
		}
		this.now = this.now.plus(Duration.ofHours(2));
		for (int i = 0; i < RunningKeys.CHANGES_BETWEEN_SWEEPS; i++) {
			begin("running");
		}
		assertThat(this.keys.keys()).containsExactly(key("running"));
	}

	private void begin(String value) {
		this.keys.change(key(value), (entry, now) -> RunningEntry.first(OWNER, Fingerprint.none(), TERMS, now));
	}

	private static IdempotencyKey key(String value) {
		return IdempotencyKey.of("test", value);
	}

}
