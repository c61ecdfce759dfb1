package dev.idempotency.store;

import dev.idempotency.RecordState;
import dev.idempotency.store.SearchableStore.Count;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecordTallyTests {

	private final RecordTally tally = new RecordTally();

	@Test
	void putsTheOperationsWithTheMostRecordsFirst() {
		this.tally.add("few", RecordState.COMPLETED, 2);
		this.tally.add("many", RecordState.COMPLETED, 1);
		this.tally.add("many", RecordState.IN_PROGRESS, 1);
		this.tally.add("many", RecordState.COMPLETED, 1);
		this.tally.add("none", RecordState.COMPLETED, 0);
		assertThat(this.tally.counts().exact()).isTrue();
		assertThat(this.tally.counts().counts()).containsExactly(new Count("many", RecordState.IN_PROGRESS, 1),
				new Count("many", RecordState.COMPLETED, 2), new Count("few", RecordState.COMPLETED, 2));
	}

	@Test
	void isNotExactWithASample() {
		RecordTally part = new RecordTally();
		part.add("pay", RecordState.COMPLETED, 10);
		this.tally.addAll(part);
		assertThat(this.tally.counts().exact()).isTrue();
		this.tally.addSample(part, 2.55);
		assertThat(this.tally.counts().exact()).isFalse();
		assertThat(this.tally.counts().counts()).containsExactly(new Count("pay", RecordState.COMPLETED, 36));
	}

	@Test
	void takesBoundedMemoryHoweverManyOperationsThereAre() {
		for (int i = 0; i < 20_000; i++) {
			this.tally.add("operation " + i, RecordState.COMPLETED, 1);
		}
		this.tally.add("operation 7", RecordState.COMPLETED, 1);
		assertThat(this.tally.counts().counts()).hasSize(SearchableStore.MAX_OPERATIONS)
			.first()
			.isEqualTo(new Count("operation 7", RecordState.COMPLETED, 2));
		assertThat(this.tally.counts().exact()).isFalse();
	}

}
