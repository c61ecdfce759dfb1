package dev.idempotency.torture.ledger;

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
	 * Where it is now.
	 */
	int port();

	/**
	 * Settings of an application that reaches it at a port.
	 */
	List<String> settings(int port);

	/**
	 * Kills the server and starts it again, with what it has kept.
	 */
	void restart();

	/**
	 * Lets another server take its place: it is elsewhere then.
	 */
	void failOver();

	/**
	 * Makes up for what a failover has cost, so that there can be another one.
	 */
	void recover();

	/**
	 * Keys that the store knows to be completed.
	 */
	Set<KeyOfCaller> completed();

	/**
	 * What stands in the ledger, where that is the store's own database.
	 */
	default List<Effect> effects() {
		return List.of();
	}

	@Override
	void close();

}
