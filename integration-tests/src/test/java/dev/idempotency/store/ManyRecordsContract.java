package dev.idempotency.store;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.RecordState;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.servers.JavaProcess;
import dev.idempotency.store.SearchableStore.Count;
import dev.idempotency.store.SearchableStore.Counts;
import dev.idempotency.store.SearchableStore.Found;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store is looked through that has a million records in the long run.
 * <p>
 * The record of number <i>n</i> is the <i>n</i>th newest; one in a thousand is not
 * completed, and every other one of those is abandoned.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ManyRecordsContract {

	private static final Logger logger = LoggerFactory.getLogger(ManyRecordsContract.class);

	protected static final int RECORDS = LongRun.choose(15_000, 1_000_000);

	protected static final String NAMESPACE = "shop";

	protected static final int OPERATIONS = 20;

	protected static final int PRINCIPALS = 1000;

	/**
	 * How much younger a record is than the next one.
	 */
	protected static final Duration INTERVAL = Duration.ofMillis(80);

	protected static final int RUNNING_ONE_IN = 2000;

	protected static final int RESULT_SIZE = 400;

	private static final RecordFilter ALL = RecordFilter.all(NAMESPACE);

	/**
	 * Fills the store, quickly.
	 */
	protected abstract void fill();

	protected abstract SearchableStore store();

	/**
	 * What {@link RecordReader} finds the store by.
	 */
	protected abstract List<String> address();

	@BeforeAll
	void fillTheStore() {
		fill();
	}

	protected static IdempotencyKey key(int number) {
		return new IdempotencyKey(
				new IdempotencyScope(NAMESPACE, "POST /" + number % OPERATIONS, "user " + number % PRINCIPALS, null),
				"key " + number);
	}

	private static List<RecordId> ids(IntStream numbers) {
		return numbers.mapToObj((number) -> RecordId.of(key(number))).toList();
	}

	private static List<RecordId> ids(Found found) {
		return found.records().stream().map(RecordSummary::id).toList();
	}

	@Test
	void showsTheNewestOfWhatItLookedAt() {
		Found found = store().search(ALL, 100, 50);
		assertThat(found.records()).hasSize(50);
		if (found.complete()) {
			assertThat(ids(found)).isEqualTo(ids(IntStream.range(100, 150)));
		}
		assertThat(found.records()).isSortedAccordingTo((one, other) -> other.created().compareTo(one.created()));
	}

	@Test
	void findsEveryKey() {
		for (int number : new int[] { 0, RECORDS / 2, RECORDS - 1 }) {
			Found found = store().search(ALL.withKey("key " + number), 0, 50);
			assertThat(found.complete()).isTrue();
			assertThat(ids(found)).containsExactly(RecordId.of(key(number)));
			assertThat(found.records().get(0).size()).isEqualTo((number % 1000 == 0) ? 0 : RESULT_SIZE);
			assertThat(store().find(RecordId.of(key(number)))).isPresent();
			assertThat(ids(store().search(ALL.withIdPrefix(key(number).hash()), 0, 50)))
				.contains(RecordId.of(key(number)));
		}
		assertThat(store().search(ALL.withKey("no key"), 0, 50).records()).isEmpty();
	}

	@Test
	void findsWhatIsInProgress() {
		Found found = store().search(ALL.withState(RecordState.IN_PROGRESS), 0, 500);
		assertThat(found.records()).isNotEmpty()
			.allSatisfy((record) -> assertThat(record.state()).isEqualTo(RecordState.IN_PROGRESS));
		if (found.complete()) {
			assertThat(ids(found))
				.isEqualTo(ids(IntStream.iterate(0, (number) -> number < RECORDS, (number) -> number + RUNNING_ONE_IN)
					.limit(500)));
		}
	}

	@Test
	void counts() {
		Counts counts = store().count(NAMESPACE);
		long completed = counts.counts()
			.stream()
			.filter((count) -> count.state() == RecordState.COMPLETED)
			.mapToLong(Count::number)
			.sum();
		assertThat(completed).isCloseTo(RECORDS - RECORDS / 1000, Percentage.withPercentage(counts.exact() ? 0 : 20));
		assertThat(counts.counts().stream().map(Count::operation).distinct()).hasSize(OPERATIONS);
	}

	/**
	 * A process that would hold all names at once, let alone the records, dies of it.
	 */
	@Test
	void needsLittleMemory(@TempDir Path folder) {
		try (JavaProcess reader = JavaProcess.launch(RecordReader.class, "40m", folder.resolve("log"), address())) {
			assertThat(reader.join()).as(reader.output()).isZero();
			reader.output().lines().filter((line) -> line.contains(" ms")).forEach(logger::info);
		}
	}

}
