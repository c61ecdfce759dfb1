package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What went wrong, with whom and from when to when.
 */
final class Disturbances {

	/**
	 * With everybody.
	 */
	static final String ALL = "*";

	private final List<Disturbance> list = new CopyOnWriteArrayList<>();

	private final Map<Fault.Kind, Integer> counts = new ConcurrentHashMap<>();

	/**
	 * Lets something go wrong, and remembers it.
	 * @param aftermath how long others may take to notice that it is over
	 */
	void run(Fault.Kind kind, String instance, Duration aftermath, Runnable action) {
		long from = System.nanoTime();
		action.run();
		this.list.add(new Disturbance(instance, from, System.nanoTime() + aftermath.toNanos()));
		this.counts.merge(kind, 1, Integer::sum);
	}

	int count(Fault.Kind kind) {
		return this.counts.getOrDefault(kind, 0);
	}

	List<Disturbance> list() {
		return List.copyOf(this.list);
	}

	/**
	 * One of them.
	 *
	 * @param instance a process, all of a slot ({@code 2.}), or {@link #ALL}
	 */
	record Disturbance(String instance, long from, long to) {

		boolean concerns(String other, long begin, long end) {
			boolean meant = this.instance.equals(ALL) || this.instance.equals(other)
					|| (this.instance.endsWith(".") && other.startsWith(this.instance));
			return meant && this.from <= end && this.to >= begin;
		}

	}

}
