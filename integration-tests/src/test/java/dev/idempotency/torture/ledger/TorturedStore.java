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
	int sharedBy(int wanted);

	/**
	 * What can happen to it, beside what can happen to the processes.
	 */
	Set<Fault.Kind> faults();

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
	List<Effect> effects();

	@Override
	void close();

}
