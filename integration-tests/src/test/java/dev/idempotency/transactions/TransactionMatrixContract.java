package dev.idempotency.transactions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.idempotency.fixtures.LongRun;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever transaction a protected call is in and whatever becomes of that: work and key
 * agree. The work is committed, the key completed and a retry gets the result; or the
 * work is undone, and the next attempt does it at once.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TransactionMatrixContract {

	private final DatabaseUnderTest database;

	private final Map<List<Object>, CompletableFuture<Stage>> stages = new HashMap<>();

	TransactionMatrixContract(DatabaseUnderTest database) {
		this.database = database;
	}

	@AfterAll
	void close() {
		this.stages.values().stream().filter((it) -> !it.isCompletedExceptionally()).forEach((it) -> it.join().close());
	}

	@TestFactory
	Stream<DynamicContainer> workAndKeyAgree() {
		return Situations.all()
			.stream()
			.map((situation) -> DynamicContainer.dynamicContainer(situation.toString(),
					cells(situation, this.database).stream()
						.map((cell) -> DynamicTest.dynamicTest(cell.toString(), () -> play(cell)))));
	}

	/**
	 * All that can be in a situation. Unless there is time, few fates are enough but for
	 * one isolation, and one isolation of the pool for some applications: each would be
	 * another one.
	 */
	static List<Cell> cells(Situation situation, DatabaseUnderTest database) {
		boolean once = situation.ofPool() && situation.setUp() != SetUp.ONE_MANAGER && !LongRun.isLong();
		List<Cell> cells = new ArrayList<>();
		for (Isolation isolation : once ? List.of(Isolation.READ_COMMITTED) : database.isolations()) {
			boolean all = isolation == Isolation.READ_COMMITTED || situation.brief() || LongRun.isLong();
			for (Protection protection : situation.protections()) {
				situation.fates()
					.stream()
					.filter((fate) -> fate.isPossible(database, situation.setUp(), protection))
					.filter((fate) -> all || Fate.representatives().contains(fate))
					.forEach((fate) -> cells.add(new Cell(situation, fate, protection, isolation)));
			}
		}
		return cells;
	}

	private void play(Cell cell) throws Exception {
		Situation situation = cell.situation();
		boolean ofPool = situation.ofPool() || cell.isolation() == Isolation.SNAPSHOT;
		List<Object> kind = List.of(situation.setUp(), ofPool ? cell.isolation() : Isolation.READ_COMMITTED);
		Stage stage = this.stages
			.computeIfAbsent(kind,
					(it) -> CompletableFuture.supplyAsync(
							() -> Stage.open(this.database, (SetUp) it.get(0), (Isolation) it.get(1)), Runnable::run))
			.join();
		List<String> complaints = onNewThread(cell, stage);
		if (stage.isSpoilt()) {
			this.stages.remove(kind);
			stage.close();
		}
		assertThat(complaints).as("%s", cell).isEmpty();
	}

	/**
	 * What a cell leaves on its thread is not for the next one to find.
	 */
	private static List<String> onNewThread(Cell cell, Stage stage) throws Exception {
		CompletableFuture<List<String>> played = new CompletableFuture<>();
		Thread thread = new Thread(() -> played.completeAsync(() -> Expectations.play(cell, stage), Runnable::run),
				cell.toString());
		thread.start();
		return played.get(1, TimeUnit.MINUTES);
	}

}
