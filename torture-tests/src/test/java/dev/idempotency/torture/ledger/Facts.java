package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.idempotency.torture.ledger.ClientLog.Answer;
import dev.idempotency.torture.ledger.Disturbances.Disturbance;
import dev.idempotency.torture.ledger.Journal.Entry;
import dev.idempotency.torture.ledger.Journal.Line;

/**
 * All that is known when everything is over.
 *
 * @param transactional whether effects and keys were committed together
 * @param lease how long a claim holds
 * @param answers what clients were told
 * @param settled keys that were asked for until the end
 * @param journal what the processes have written down
 * @param rows the ledger, where it is in the store's database
 * @param completed what the store knows to be completed, and in which of its places; only
 * looked at for keys that are settled
 * @param disturbances what went wrong
 */
record Facts(boolean transactional, Duration lease, Map<KeyOfCaller, Map<Answer, Integer>> answers,
		Set<KeyOfCaller> settled, List<Line> journal, List<Effect> rows, Map<KeyOfCaller, Integer> completed,
		List<Disturbance> disturbances) {

	/**
	 * What stays of the work, by key.
	 */
	Map<KeyOfCaller, List<Effect>> effects() {
		Map<KeyOfCaller, List<Effect>> effects = new HashMap<>();
		List<Effect> all = this.transactional ? this.rows
				: lines(Entry.EFFECT).stream()
					.map((line) -> new Effect(line.key(), (int) line.number(2), line.word(3), (int) line.number(5)))
					.toList();
		all.forEach((effect) -> effects.computeIfAbsent(effect.key(), (key) -> new ArrayList<>()).add(effect));
		return effects;
	}

	List<Line> lines(Entry entry) {
		return this.journal.stream().filter((line) -> line.entry() == entry).toList();
	}

	/**
	 * Attempts whose result the store failed to keep, and whose answer left all the same:
	 * they are like crashed ones, as the README says, and the next attempt may be
	 * answered otherwise.
	 */
	Set<Attempted> unstored() {
		Set<Attempted> unstored = new HashSet<>();
		lines(Entry.UNSTORED).forEach((line) -> unstored.add(new Attempted(line.key(), (int) line.number(2))));
		return unstored;
	}

	/**
	 * One attempt at a key.
	 */
	record Attempted(KeyOfCaller key, int attempt) {
	}

}
