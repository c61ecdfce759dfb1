package dev.idempotency.store;

import java.time.Duration;
import java.time.Instant;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NewestRecordsTests {

	private static RecordSummary record(int created) {
		IdempotencyKey key = IdempotencyKey.of("pay", "key " + created);
		return new RecordSummary(RecordId.of(key), KeyDescription.of(key),
				new KeyStatus(RecordState.COMPLETED, 1, Instant.ofEpochSecond(created), null, Instant.MAX),
				Duration.ZERO, 0, 0, null);
	}

	@Test
	void keepsNoMoreThanAPageTakes() {
		NewestRecords newest = new NewestRecords(1, 2);
		assertThat(newest.floor()).isEqualTo(Instant.EPOCH);
		for (int created : new int[] { 5, 1, 9, 3, 9, 7 }) {
			newest.add(record(created));
		}
		assertThat(newest.page()).containsExactly(record(7), record(5));
		assertThat(newest.floor()).isEqualTo(Instant.ofEpochSecond(5));
		assertThat(newest.reach()).isEqualTo(3);
	}

}
