package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A store to which everything happens.
 */
interface TorturedStore extends AutoCloseable {

	/**
	 * How many processes can share it.
	 */
	default int sharedBy(int wanted) {
		return wanted;
	}

	/**
	 * What can happen to it, beside what can happen to the processes.
	 */
	default Set<Fault.Kind> faults() {
		return Set.of(Fault.Kind.RESTART_STORE, Fault.Kind.FAIL_OVER, Fault.Kind.CUT_STORE, Fault.Kind.STALL_STORE,
				Fault.Kind.SLOW_STORE);
	}

	/**
	 * Where its servers are now. Each is a place with keys of its own, and its number
	 * here is the number of the place.
	 */
	List<Integer> ports();

	/**
	 * Settings of an application that reaches it at these ports.
	 */
	List<String> settings(List<Integer> ports);

	/**
	 * Kills a server and starts it again, with what it has kept.
	 */
	default void restart(int place) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Lets a server stand still.
	 */
	default void pause(int place, Duration duration) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Lets another server take the place of the only one: it is elsewhere then.
	 */
	default void failOver() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Makes up for what a failover has cost, so that there can be another one.
	 */
	default void recover() {
		throw new UnsupportedOperationException();
	}

	/**
	 * Keys that a place knows to be completed.
	 */
	Set<KeyOfCaller> completed(int place);

	/**
	 * What stands in the ledger, where that is the store's own database.
	 */
	default List<Effect> effects() {
		return List.of();
	}

	@Override
	void close();

}
