package dev.idempotency.torture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.idempotency.torture.StepLedger.Effect;
import dev.idempotency.torture.StepLedger.Line;

/**
 * What the journal of the {@link StepLedger} says, given which workers were killed.
 */
final class StepJournal {

	private final Set<Effect> returned = new HashSet<>();

	private final List<Line> startedAfterTheyReturned = new ArrayList<>();

	private final List<Line> repeatedWithoutACrash = new ArrayList<>();

	private final int starts;

	private final int repeats;

	private final int hits;

	StepJournal(List<Line> lines, Set<String> killed) {
		Map<String, Line> lastOfWorker = new HashMap<>();
		lines.forEach((line) -> lastOfWorker.put(line.worker(), line));
		// A worker that was killed in a step has nothing more to say
		List<Line> hit = lines.stream()
			.filter((line) -> line.started() && killed.contains(line.worker())
					&& line.equals(lastOfWorker.get(line.worker())))
			.toList();
		Set<String> ended = new HashSet<>();
		Map<String, Line> lastOfStep = new HashMap<>();
		int startsSoFar = 0;
		int repeatsSoFar = 0;
		for (Line line : lines) {
			String step = line.task() + " " + line.step();
			if (!line.started()) {
				ended.add(step);
				this.returned.add(new Effect(line.task(), line.step(), line.result()));
				continue;
			}
			startsSoFar++;
			if (ended.contains(step)) {
				this.startedAfterTheyReturned.add(line);
			}
			Line earlier = lastOfStep.put(step, line);
			if (earlier != null) {
				repeatsSoFar++;
				if (!hit.contains(earlier) || line.attempt() <= earlier.attempt()) {
					this.repeatedWithoutACrash.add(line);
				}
			}
		}
		this.starts = startsSoFar;
		this.repeats = repeatsSoFar;
		this.hits = hit.size();
	}

	/**
	 * Which steps returned what, in whatever attempt.
	 */
	Set<Effect> returned() {
		return this.returned;
	}

	/**
	 * Executions of steps whose result had been there.
	 */
	List<Line> startedAfterTheyReturned() {
		return this.startedAfterTheyReturned;
	}

	/**
	 * Executions of steps whose earlier execution was not killed, or that were not told
	 * so.
	 */
	List<Line> repeatedWithoutACrash() {
		return this.repeatedWithoutACrash;
	}

	/**
	 * How many executions began.
	 */
	int starts() {
		return this.starts;
	}

	/**
	 * How many executions were not the first of their step.
	 */
	int repeats() {
		return this.repeats;
	}

	/**
	 * How many kills hit a running step.
	 */
	int hits() {
		return this.hits;
	}

}
