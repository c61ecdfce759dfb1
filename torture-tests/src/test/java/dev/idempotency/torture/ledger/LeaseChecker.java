package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.idempotency.torture.ledger.Disturbances.Disturbance;
import dev.idempotency.torture.ledger.Journal.Entry;
import dev.idempotency.torture.ledger.Journal.Line;
import dev.idempotency.torture.ledger.Violation.Kind;

/**
 * Looks at who was granted a key, and when. Of two claims of a key,
 * <ul>
 * <li>the second is granted when the lease of the first is over, or the first was given
 * back: not before the moment at which the store was asked for the first claim or its
 * latest renewal, and a lease more;
 * <li>the second is not granted at all after the first was completed;
 * <li>the second is granted because something went wrong with the first one's process, or
 * with the place in the store where the key is, or on the way there: leases of who is
 * well do not run out, whatever happens elsewhere.
 * </ul>
 */
final class LeaseChecker {

	/**
	 * Stores count in milliseconds.
	 */
	private static final Duration TOLERANCE = Duration.ofMillis(10);

	private final Facts facts;

	private final Map<String, Long> leased = new HashMap<>();

	private final Map<String, Long> completed = new HashMap<>();

	private final Map<String, Long> released = new HashMap<>();

	private final List<Disturbance> disturbances;

	private final List<Violation> violations = new ArrayList<>();

	private LeaseChecker(Facts facts) {
		this.facts = facts;
		facts.lines(Entry.RENEWED).forEach((line) -> this.leased.merge(line.word(0), line.number(1), Math::max));
		facts.lines(Entry.COMPLETED).forEach((line) -> this.completed.put(line.word(0), line.number(2)));
		Stream.of(Entry.RELEASING, Entry.REPORTING)
			.flatMap((entry) -> facts.lines(entry).stream())
			.forEach((line) -> this.released.put(line.word(0), line.number(1)));
		this.disturbances = Stream
			.concat(facts.disturbances().stream(), facts.lines(Entry.STALLED)
				.stream()
				.map((line) -> new Disturbance(line.word(0), Disturbances.ANYWHERE, line.number(1), line.number(2))))
			.toList();
	}

	static List<Violation> check(Facts facts) {
		LeaseChecker checker = new LeaseChecker(facts);
		Map<KeyOfCaller, List<Grant>> grants = new HashMap<>();
		facts.lines(Entry.GRANTED)
			.stream()
			.map(Grant::of)
			.forEach((grant) -> grants.computeIfAbsent(grant.key(), (key) -> new ArrayList<>()).add(grant));
		grants.values().forEach(checker::checkGrants);
		return checker.violations;
	}

	private void checkGrants(List<Grant> grants) {
		grants.sort(Comparator.comparingLong(Grant::answered));
		for (int i = 0; i < grants.size(); i++) {
			for (int j = i + 1; j < grants.size(); j++) {
				// An answer that came later may have been decided earlier
				boolean inOrder = grants.get(i).attempt() <= grants.get(j).attempt();
				checkPair(grants.get(inOrder ? i : j), grants.get(inOrder ? j : i), j == i + 1);
			}
		}
	}

	private void checkPair(Grant first, Grant second, boolean adjacent) {
		if (first.owner().equals(second.owner())) {
			// Asked twice by a driver that had lost the answer
			return;
		}
		Long done = this.completed.get(first.owner());
		if (done != null && second.asked() > done) {
			add(Kind.GRANTED_AFTER_COMPLETION, first, second);
			return;
		}
		Long given = this.released.get(first.owner());
		if (given != null && given < second.answered()) {
			return;
		}
		long leased = Math.max(first.asked(), this.leased.getOrDefault(first.owner(), 0L));
		long over = leased + this.facts.lease().minus(TOLERANCE).toNanos();
		if (second.answered() < over) {
			add(Kind.GRANTED_WITHIN_LEASE, first, second);
		}
		else if (adjacent && second.attempt() > first.attempt() && !isExplained(first, second)) {
			add(Kind.UNEXPLAINED_TAKEOVER, first, second);
		}
	}

	private boolean isExplained(Grant first, Grant second) {
		int place = this.facts.completed().getOrDefault(first.key(), Disturbances.ANYWHERE);
		return this.disturbances.stream()
			.anyMatch((each) -> each.concerns(first.instance(), place, first.asked(), second.answered()));
	}

	private void add(Kind kind, Grant first, Grant second) {
		this.violations.add(new Violation(kind, first.key(), "%s, and %d ms later %s".formatted(first,
				Duration.ofNanos(second.answered() - first.asked()).toMillis(), second)));
	}

	/**
	 * A claim that was granted.
	 */
	record Grant(KeyOfCaller key, int attempt, String owner, String instance, long asked, long answered) {

		static Grant of(Line line) {
			return new Grant(line.key(), (int) line.number(2), line.word(3), line.word(4), line.number(5),
					line.number(6));
		}

	}

}
