package dev.idempotency.model;

import java.time.Duration;
import java.util.List;

/**
 * Looks for behaviours of a model. It is all that the tests see of Alloy, which has
 * classes of its own for logging and JSON and is therefore kept apart from the rest.
 */
public interface Solver {

	/**
	 * Runs a command of a model.
	 * @param model the text of the model
	 * @param command the name of the command
	 * @param actions the names of the actions of an attempt, of an instance, and of
	 * nobody: what the steps that are found are told in
	 * @return what came of it
	 */
	Finding run(String model, String command, List<List<String>> actions);

	/**
	 * What came of a command.
	 *
	 * @param found whether there is a behaviour: for a check, one that breaks the
	 * property
	 * @param variables how many variables the formula has
	 * @param clauses how many clauses it has
	 * @param time what it took
	 * @param steps what happens, one step after the other; where several actions would
	 * have the same effect, all of them
	 */
	record Finding(boolean found, int variables, int clauses, Duration time, List<String> steps) {
	}

}
