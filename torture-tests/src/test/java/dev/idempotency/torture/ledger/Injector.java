package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Lets things go wrong, as planned, until time is up.
 */
final class Injector {

	private final TorturedStore store;

	private final Fleet fleet;

	private final Disturbances disturbances;

	private final Duration lease;

	private final long deadline;

	private final Executor threads;

	Injector(TorturedStore store, Fleet fleet, Disturbances disturbances, Duration lease, long deadline,
			Executor threads) {
		this.store = store;
		this.fleet = fleet;
		this.disturbances = disturbances;
		this.lease = lease;
		this.deadline = deadline;
		this.threads = threads;
	}

	/**
	 * Goes through faults, one after the other.
	 */
	void run(List<Fault> faults) {
		Iterator<Fault> next = faults.iterator();
		while (next.hasNext() && System.nanoTime() < this.deadline) {
			Fault fault = next.next();
			pause(fault.after());
			inject(fault);
		}
	}

	static void pause(Duration duration) {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(duration.toMillis()));
	}

	private void inject(Fault fault) {
		Slot slot = this.fleet.slot(fault.slot());
		switch (fault.kind()) {
			case KILL -> {
				slot.awaitReady();
				note(fault, slot.instance(), slot::kill);
				slot.launch();
				// Others are next meanwhile
				this.threads.execute(slot::awaitReady);
			}
			case PAUSE -> {
				slot.awaitReady();
				note(fault, slot.instance(), () -> slot.pause(fault.lasting()));
			}
			case RESTART_STORE -> note(fault, Disturbances.ALL, () -> this.store.restart(fault.place()));
			case PAUSE_STORE -> note(fault, Disturbances.ALL, () -> this.store.pause(fault.place(), fault.lasting()));
			case FAIL_OVER -> {
				note(fault, Disturbances.ALL, () -> {
					this.store.failOver();
					this.fleet.pointTo(fault.place(), this.store.ports().get(fault.place()));
					this.store.recover();
				});
			}
			case CUT_STORE -> noteWhile(fault, slot, StoreLink::cut);
			case STALL_STORE -> noteWhile(fault, slot, StoreLink::stall);
			case SLOW_STORE -> noteWhile(fault, slot, (link) -> link.slow(this.lease.dividedBy(8)));
		}
	}

	private void noteWhile(Fault fault, Slot slot, Consumer<StoreLink> begin) {
		StoreLink link = slot.storeLink(fault.place());
		// Also the process that comes after, if this one is killed meanwhile
		note(fault, fault.slot() + ".", () -> {
			begin.accept(link);
			pause(fault.lasting());
			link.heal();
		});
	}

	private void note(Fault fault, String instance, Runnable action) {
		this.disturbances.run(fault, instance, this.lease.multipliedBy(2), action);
	}

}
