package dev.idempotency.torture;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import dev.idempotency.servers.PostgresServer;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.torture.StepLedger.Effect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that are killed at any moment of tasks of ten steps, again and again until
 * the tasks are done: each step's effect once, the final result complete.
 */
@Tag("slow")
abstract class StepKillContract {

	private static final Logger logger = LoggerFactory.getLogger(StepKillContract.class);

	/**
	 * About as long as a task takes that nobody kills.
	 */
	private static final int MAX_MILLIS = 600;

	private final int kills = LongRun.choose(4, 100);

	private final long seed = System.nanoTime();

	private final Random random = new Random(this.seed);

	private final Set<String> killed = new HashSet<>();

	StepKillContract() {
	}

	/**
	 * Prepares a store.
	 * @return where it is: the address of a database, or the port of a Redis
	 */
	abstract String store();

	@Test
	void leavesEachEffectOnceAndGivesTheWholeResult() {
		String url = PostgresServer.shared().newSchema();
		Map<String, List<String>> results = new LinkedHashMap<>();
		try (StepLedger ledger = new StepLedger(url)) {
			ledger.create();
			try (Shift shift = new Shift(url, store())) {
				while (this.killed.size() < this.kills) {
					String task = "task-" + results.size();
					results.put(task, doDespiteKills(task, shift));
				}
				shift.replace();
				results.forEach((task, result) -> assertThat(shift.worker().resultOf(task))
					.as("asked again for %s (seed %d)", task, this.seed)
					.isEqualTo(result));
			}
			List<Effect> effects = ledger.effects();
			StepJournal journal = new StepJournal(ledger.journal(), this.killed);
			logger.info(
					"{}: {} tasks, {} kills of which {} hit a running step, {} steps ran again, {} effects (seed {})",
					getClass().getSimpleName(), results.size(), this.killed.size(), journal.hits(), journal.repeats(),
					effects.size(), this.seed);
			assertThat(results.values()).as("seed %d", this.seed).allMatch((result) -> result.size() == StepTask.STEPS);
			assertThat(effects).as("seed %d", this.seed).containsExactlyElementsOf(effectsOf(results));
			assertThat(journal.returned()).as("what steps returned, whatever the attempt (seed %d)", this.seed)
				.isEqualTo(new HashSet<>(effects));
			assertThat(journal.startedAfterTheyReturned()).as("seed %d", this.seed).isEmpty();
			assertThat(journal.repeatedWithoutACrash()).as("seed %d", this.seed).isEmpty();
			assertThat(journal.starts()).as("seed %d", this.seed)
				.isBetween(effects.size(), effects.size() + journal.hits());
		}
	}

	private List<String> doDespiteKills(String task, Shift shift) {
		while (this.killed.size() < this.kills) {
			StepWorker worker = shift.worker();
			worker.order(task);
			// Now and then before it begins, while it waits for the lease of the dead
			if (this.random.nextInt(8) > 0) {
				worker.awaitBeginning();
			}
			List<String> result = worker.result(Duration.ofMillis(this.random.nextInt(MAX_MILLIS)));
			if (result != null) {
				return result;
			}
			shift.replace();
			this.killed.add(worker.name());
		}
		return shift.worker().resultOf(task);
	}

	/**
	 * What must be in the ledger, in its order, if each step of a result has left its
	 * effect once.
	 */
	private static List<Effect> effectsOf(Map<String, List<String>> results) {
		return results.entrySet()
			.stream()
			.flatMap((entry) -> IntStream.range(0, entry.getValue().size())
				.mapToObj((step) -> new Effect(entry.getKey(), step, entry.getValue().get(step))))
			.toList();
	}

	/**
	 * The worker that is at work, and one that is about to be ready.
	 */
	private static final class Shift implements AutoCloseable {

		private final String ledger;

		private final String store;

		private StepWorker worker;

		private StepWorker next;

		private Shift(String ledger, String store) {
			this.ledger = ledger;
			this.store = store;
			this.worker = StepWorker.launch(ledger, store);
			this.next = StepWorker.launch(ledger, store);
			this.worker.awaitReadiness();
		}

		private StepWorker worker() {
			return this.worker;
		}

		/**
		 * Kills the one at work.
		 */
		private void replace() {
			this.worker.kill();
			this.worker = this.next;
			this.next = StepWorker.launch(this.ledger, this.store);
			this.worker.awaitReadiness();
		}

		@Override
		public void close() {
			this.worker.kill();
			this.next.kill();
		}

	}

}
