package dev.idempotency.transactions;

import java.util.List;
import java.util.Set;

import dev.idempotency.transactions.Situation.Group;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The matrix can fail: where a store breaks its promise, the cells complain that depend
 * on it, and no others.
 */
@Tag("once")
@Tag("slow")
class PlantedFaultTests {

	@Test
	void aCompletionApartFromTheWorkIsNoticedWhereTheWorkIsUndone() {
		try (Stage stage = open(BrokenStore.CompletesApart.class)) {
			assertThat(complaints(stage, Fate.COMMIT)).isEmpty();
			// Caught before the key is completed
			assertThat(complaints(stage, Fate.METHOD_THROWS)).isEmpty();
			for (Fate fate : List.of(Fate.LISTENER_THROWS, Fate.CONNECTION_KILLED_AT_COMMIT)) {
				assertThat(complaints(stage, fate)).as("%s", fate)
					.anySatisfy((complaint) -> assertThat(complaint).contains("alone", "JOINING", "key COMPLETED"))
					.anySatisfy((complaint) -> assertThat(complaint).contains("alone", "HANDLER", "key COMPLETED"))
					.anySatisfy((complaint) -> assertThat(complaint).contains("that has read and written", "JOINING",
							"key COMPLETED"));
			}
		}
	}

	@Test
	void aKeyThatIsNotGivenBackIsNoticedWhereTheWorkIsUndone() {
		try (Stage stage = open(BrokenStore.NeverGivesBack.class)) {
			assertThat(complaints(stage, Fate.COMMIT)).isEmpty();
			for (Fate fate : List.of(Fate.ROLLBACK_ONLY, Fate.METHOD_THROWS, Fate.METHOD_THROWS_ERROR)) {
				assertThat(complaints(stage, fate)).as("%s", fate)
					.hasSize(cells(fate).size())
					.allSatisfy((complaint) -> assertThat(complaint).contains("expected UNDONE", "key IN_PROGRESS"));
			}
		}
	}

	@Test
	void aResultThatIsForgottenIsNoticedWhereTheWorkIsDone() {
		try (Stage stage = open(BrokenStore.ForgetsResults.class)) {
			assertThat(complaints(stage, Fate.METHOD_THROWS)).isEmpty();
			assertThat(complaints(stage, Fate.COMMIT)).hasSize(cells(Fate.COMMIT).size())
				.allSatisfy((complaint) -> assertThat(complaint).contains("expected DONE", "2 rows after it"));
		}
	}

	private static Stage open(Class<?> fault) {
		return Stage.open(DatabaseUnderTest.H2, SetUp.ONE_MANAGER, Isolation.READ_COMMITTED, fault);
	}

	private static List<String> complaints(Stage stage, Fate fate) {
		return cells(fate).stream()
			.map((cell) -> "%s: %s".formatted(cell, String.join("; ", Expectations.play(cell, stage))))
			.filter((complaint) -> !complaint.endsWith(": "))
			.toList();
	}

	/**
	 * The plainest cells, in which the library keeps its promise.
	 */
	private static List<Cell> cells(Fate fate) {
		Set<Protection> protections = Set.of(Protection.JOINING, Protection.ANNOTATED, Protection.HANDLER);
		return Situations.all()
			.stream()
			.filter((situation) -> isNamed(situation, Group.OWN_TRANSACTION, "alone")
					|| isNamed(situation, Group.CALLERS_TRANSACTION, "that has read and written"))
			.flatMap((situation) -> TransactionMatrixContract.cells(situation, DatabaseUnderTest.H2).stream())
			.filter((cell) -> cell.fate() == fate && cell.isolation() == Isolation.READ_COMMITTED
					&& protections.contains(cell.protection()))
			.toList();
	}

	private static boolean isNamed(Situation situation, Group group, String name) {
		return situation.group() == group && situation.name().equals(name);
	}

}
