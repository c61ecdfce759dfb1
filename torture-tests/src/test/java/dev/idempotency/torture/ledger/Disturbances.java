package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What went wrong, with whom, where, and from when to when.
 */
final class Disturbances {

	/**
	 * With everybody.
	 */
	static final String ALL = "*";

	/**
	 * In every place of the store, or in one that nobody knows.
	 */
	static final int ANYWHERE = -1;

	private final List<Disturbance> list = new CopyOnWriteArrayList<>();

	private final Map<Fault.Kind, Integer> counts = new ConcurrentHashMap<>();

	/**
	 * Lets something go wrong, and remembers it.
	 * @param aftermath how long others may take to notice that it is over
	 */
	void run(Fault fault, String instance, Duration aftermath, Runnable action) {
		long from = System.nanoTime();
		action.run();
		int place = fault.kind().isOfProcess() ? ANYWHERE : fault.place();
		this.list.add(new Disturbance(instance, place, from, System.nanoTime() + aftermath.toNanos()));
		this.counts.merge(fault.kind(), 1, Integer::sum);
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
	 * @param place one of the store's, or {@link #ANYWHERE}
	 */
	record Disturbance(String instance, int place, long from, long to) {

		boolean concerns(String otherInstance, int otherPlace, long begin, long end) {
			return isOf(otherInstance) && isAt(otherPlace) && this.from <= end && this.to >= begin;
		}

		private boolean isOf(String other) {
			return this.instance.equals(ALL) || this.instance.equals(other)
					|| (this.instance.endsWith(".") && other.startsWith(this.instance));
		}

		private boolean isAt(int other) {
			return this.place == ANYWHERE || other == ANYWHERE || this.place == other;
		}

	}

}
