package dev.idempotency.transactions;

import java.util.ArrayList;
import java.util.List;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.transactions.Seen.KeyState;
import dev.idempotency.transactions.Seen.Retry;
import dev.idempotency.transactions.Situation.Outcomes;
import org.jspecify.annotations.Nullable;

/**
 * What has to hold in every cell: work and key agree, and nothing is left behind.
 */
final class Expectations {

	private final Cell cell;

	private final List<String> complaints = new ArrayList<>();

	Expectations(Cell cell) {
		this.cell = cell;
	}

	/**
	 * Plays a cell and looks at what came of it.
	 * @return what is wrong
	 */
	static List<String> play(Cell cell, Stage stage) {
		Scene scene = new Scene(stage, cell);
		Expectations expectations = new Expectations(cell);
		scene.play();
		expectations.look(scene, stage);
		return expectations.complaints;
	}

	private void look(Scene scene, Stage stage) {
		stage.leftovers().forEach((left) -> this.complaints.add("left " + left));
		Situation situation = this.cell.situation();
		Seen seen = scene.mainCall().look();
		if (scene.told() instanceof IdempotencyConfigurationException) {
			expectNothingRan(seen);
			return;
		}
		expect("", this.cell.expected(), seen);
		expectTruth(scene.told(), seen);
		if (situation.earlier() != null) {
			expect("earlier call: ", outcome(situation.earlier()), scene.earlierCall().look());
		}
		if (situation.bystander() != null) {
			expectRows("what the caller wrote besides: ", outcome(situation.bystander()),
					stage.bystanders(scene.bystanderId()));
		}
	}

	private Outcome outcome(Outcomes outcomes) {
		return outcomes.of(this.cell.protection(), this.cell.fate());
	}

	private void expectNothingRan(Seen seen) {
		if (seen.runs() > 0 || seen.rows() > 0 || seen.key() != KeyState.ABSENT) {
			this.complaints.add("refused, and yet " + seen);
		}
	}

	private void expect(String whose, Outcome expected, Seen seen) {
		boolean done = seen.rows() == 1 && seen.key() == KeyState.COMPLETED && seen.retry() == Retry.REPLAYED;
		boolean undone = seen.rows() == 0 && seen.key() == KeyState.ABSENT && seen.retry() == Retry.RAN;
		boolean agreed = switch (expected) {
			case DONE -> done || isDoneWithoutResult(seen);
			case UNDONE -> undone || isUnknown(seen);
			case EITHER -> done || undone;
			case LOST -> seen.rows() == 0 && seen.key() == KeyState.IN_PROGRESS && seen.retry() == Retry.REFUSED;
			case ANYTHING -> true;
		};
		boolean once = (done || undone) ? seen.rowsAfterRetry() == 1 : seen.rowsAfterRetry() <= 1;
		if (!agreed || (!once && expected != Outcome.ANYTHING)) {
			this.complaints.add("%sexpected %s: %s".formatted(whose, expected, seen));
		}
	}

	/**
	 * What is thrown after the commit comes instead of the value, and nobody has that any
	 * more.
	 */
	private boolean isDoneWithoutResult(Seen seen) {
		return this.cell.fate().throwsAfterCommit() && seen.rows() == 1 && seen.key() == KeyState.COMPLETED
				&& seen.retry() == Retry.REFUSED && seen.said().contains(ResultNotReplayableException.class.getName());
	}

	/**
	 * Who completes a key after the commit, and not in it, cannot know what became of a
	 * transaction that nobody can be asked about: its lease holds retries off.
	 */
	private boolean isUnknown(Seen seen) {
		return !this.cell.protection().isCompletedInTransaction() && this.cell.fate().losesConnection()
				&& seen.rows() == 0 && seen.key() == KeyState.IN_PROGRESS && seen.retry() == Retry.REFUSED;
	}

	private void expectTruth(@Nullable Throwable told, Seen seen) {
		if (this.cell.expected() == Outcome.ANYTHING) {
			return;
		}
		if (told == null && seen.rows() == 0 && !this.cell.fate().marks()) {
			this.complaints.add("nobody was told that nothing was done");
		}
		if (told != null && seen.rows() == 1 && this.cell.fate() == Fate.COMMIT) {
			this.complaints.add("was told that nothing was done: " + told);
		}
	}

	private void expectRows(String whose, Outcome expected, int rows) {
		boolean agreed = switch (expected) {
			case DONE -> rows == 1;
			case UNDONE, LOST -> rows == 0;
			case EITHER, ANYTHING -> true;
		};
		if (!agreed) {
			this.complaints.add("%sexpected %s, but found %d rows".formatted(whose, expected, rows));
		}
	}

}
