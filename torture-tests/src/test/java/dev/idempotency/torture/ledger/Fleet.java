package dev.idempotency.torture.ledger;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * The processes that share a store.
 */
final class Fleet implements AutoCloseable {

	private final List<Slot> slots;

	private final AtomicInteger cuts = new AtomicInteger();

	Fleet(TortureOptions options, TorturedStore store, Path folder, Plan plan) {
		int size = store.sharedBy(options.instances());
		ClockAgent agent = new ClockAgent(folder);
		List<Duration> clocks = plan.clocks(size);
		this.slots = IntStream.range(0, size)
			.mapToObj((i) -> new Slot(i, options, store, folder, agent, clocks.get(i), plan, this.cuts))
			.toList();
	}

	Fleet start() {
		this.slots.forEach(Slot::launch);
		awaitReady();
		this.slots.forEach(Slot::requireWrongClock);
		return this;
	}

	void awaitReady() {
		this.slots.forEach(Slot::awaitReady);
	}

	int size() {
		return this.slots.size();
	}

	Slot slot(int index) {
		return this.slots.get(index);
	}

	/**
	 * How many connections of clients were cut.
	 */
	int cuts() {
		return this.cuts.get();
	}

	void pointTo(int place, int storePort) {
		this.slots.forEach((slot) -> slot.storeLink(place).pointTo(storePort));
	}

	void heal() {
		this.slots.forEach(Slot::heal);
	}

	@Override
	public void close() {
		this.slots.forEach(Slot::close);
	}

}
