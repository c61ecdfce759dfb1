package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.idempotency.model.Script;
import dev.idempotency.torture.ledger.Journal.Entry;
import dev.idempotency.torture.ledger.Journal.Line;

/**
 * What the journal says of one key, and the same as steps of the model.
 * <p>
 * The moment at which the store decided lies between question and answer. The trace takes
 * the earliest that is possible by the rules, and if none is, the latest: the model then
 * says what is wrong with it.
 */
record Trace(KeyOfCaller key, List<Event> events) {

	/**
	 * So many ticks make a lease in the model.
	 */
	private static final int TICKS = 2;

	/**
	 * Stores count in milliseconds.
	 */
	private static final long TOLERANCE = Duration.ofMillis(10).toNanos();

	Trace {
		events = List.copyOf(events);
	}

	/**
	 * The traces of a journal in which one event comes after the other, and that are
	 * whole. Where questions overlapped, or the answer to a claim got lost, nobody knows
	 * what came first.
	 */
	static List<Trace> of(List<Line> journal) {
		Map<String, Line> grants = new LinkedHashMap<>();
		journal.stream()
			.filter((line) -> line.entry() == Entry.GRANTED)
			.forEach((line) -> grants.putIfAbsent(line.word(3), line));
		Map<KeyOfCaller, List<Event>> events = new LinkedHashMap<>();
		Set<Line> seen = new HashSet<>();
		for (Line line : journal) {
			Line grant = grants.get(ownerIn(line));
			if (grant != null && seen.add(line)) {
				events.computeIfAbsent(grant.key(), (key) -> new ArrayList<>()).add(Event.of(line, grant));
			}
		}
		return events.entrySet()
			.stream()
			.map((entry) -> new Trace(entry.getKey(),
					entry.getValue().stream().sorted(Comparator.comparingLong(Event::asked)).toList()))
			.filter((trace) -> trace.isInOrder() && trace.isWhole())
			.toList();
	}

	private static String ownerIn(Line line) {
		return switch (line.entry()) {
			case GRANTED -> line.word(3);
			case RENEWED, COMPLETED, RELEASING, REPORTING -> line.word(0);
			case BEGUN, EFFECT, UNSTORED, STALLED -> "";
		};
	}

	boolean hasTakeover() {
		return this.events.stream().anyMatch(Event::isTakeover);
	}

	private boolean isInOrder() {
		for (int i = 1; i < this.events.size(); i++) {
			if (this.events.get(i).asked() <= this.events.get(i - 1).answered()) {
				return false;
			}
		}
		return true;
	}

	private boolean isWhole() {
		int attempt = 0;
		for (Event event : this.events) {
			if (event.entry() == Entry.GRANTED) {
				if (event.attempt() != attempt + 1 && event.attempt() != 1) {
					return false;
				}
				attempt = event.attempt();
			}
		}
		return true;
	}

	/**
	 * The same trace with another event at its end.
	 */
	Trace with(Event event) {
		return new Trace(this.key, Stream.concat(this.events.stream(), Stream.of(event)).toList());
	}

	/**
	 * The steps of the model that it consists of.
	 * @param lease how long a claim held
	 */
	Script script(Duration lease) {
		return new Translation(lease).translate(this.events);
	}

	/**
	 * Something that a store did.
	 */
	record Event(Entry entry, String owner, String instance, int attempt, long asked, long answered) {

		static Event of(Line line, Line grant) {
			int times = switch (line.entry()) {
				case GRANTED -> 5;
				case RENEWED, COMPLETED, RELEASING, REPORTING -> 1;
				case BEGUN, EFFECT, UNSTORED, STALLED -> throw new IllegalArgumentException(line.toString());
			};
			long asked = line.number(times);
			return new Event(line.entry(), grant.word(3), grant.word(4), (int) grant.number(2), asked,
					(line.entry() == Entry.RELEASING || line.entry() == Entry.REPORTING) ? asked
							: line.number(times + 1));
		}

		boolean isTakeover() {
			return this.entry == Entry.GRANTED && this.attempt > 1;
		}

		/**
		 * The same, at another time.
		 */
		Event at(long moment) {
			return new Event(this.entry, this.owner, this.instance, this.attempt, moment, moment);
		}

	}

	/**
	 * Makes steps of events.
	 */
	private static final class Translation {

		private final long lease;

		private final Map<String, String> attempts = new HashMap<>();

		private final Map<String, String> instances = new LinkedHashMap<>();

		private final Map<String, String> machines = new HashMap<>();

		private final List<String> steps = new ArrayList<>();

		private final Set<String> stalled = new HashSet<>();

		private String holder = "";

		private long leased;

		private long now = Long.MIN_VALUE;

		/**
		 * How many ticks have passed since the lease began.
		 */
		private int passed;

		private int ticks;

		Translation(Duration lease) {
			this.lease = lease.toNanos();
		}

		Script translate(List<Event> events) {
			for (Event event : events) {
				pass(event);
				take(event);
			}
			return new Script(this.instances, this.steps, List.of(), Math.max(TICKS, this.ticks) + 1);
		}

		private void pass(Event event) {
			long earliest = event.isTakeover() ? Math.max(event.asked(), this.leased + this.lease) : event.asked();
			long moment = Math.min(event.answered() + TOLERANCE, earliest);
			if (this.now != Long.MIN_VALUE) {
				// Once the lease is over, more time makes no difference
				long begun = tick(moment) - tick(this.now);
				for (int i = 0; i < Math.min(begun, TICKS); i++) {
					advance();
				}
			}
			this.now = Math.max(moment, this.now);
		}

		private long tick(long moment) {
			return Math.floorDiv(moment, this.lease / TICKS);
		}

		private void advance() {
			String instance = this.instances.get(this.holder);
			if (instance != null && this.passed > 0 && this.stalled.add(instance)) {
				// It was not renewed in time
				this.steps.add("stall[%s]".formatted(instance));
			}
			this.steps.add("advance");
			this.passed++;
			this.ticks++;
		}

		private void take(Event event) {
			String attempt = this.attempts.computeIfAbsent(event.owner(), (owner) -> "a" + this.attempts.size());
			String instance = this.machines.computeIfAbsent(event.instance(), (name) -> "i" + this.machines.size());
			this.instances.put(attempt, instance);
			if (this.stalled.remove(instance)) {
				this.steps.add("resume[%s]".formatted(instance));
			}
			switch (event.entry()) {
				case GRANTED -> {
					this.steps.add((event.isTakeover() ? "takeover[%s]" : "claim[%s]").formatted(attempt));
					leaseBegins(attempt);
				}
				case RENEWED -> {
					this.steps.add("(renew[%s] and owns[%1$s])".formatted(attempt));
					leaseBegins(attempt);
				}
				case COMPLETED -> {
					this.steps.add("(complete[%s] and owns[%1$s])".formatted(attempt));
					this.holder = "";
				}
				case RELEASING, REPORTING -> {
					// Nobody has written down whether the store has heard of it
					String told = (event.entry() == Entry.RELEASING) ? "release" : "abandon";
					this.steps.add("(%s[%s] or letLeaseRunOut[%2$s])".formatted(told, attempt));
					this.holder = "";
				}
				case BEGUN, EFFECT, UNSTORED, STALLED -> throw new IllegalArgumentException(event.toString());
			}
		}

		private void leaseBegins(String attempt) {
			this.holder = attempt;
			this.leased = this.now;
			this.passed = 0;
		}

	}

}
