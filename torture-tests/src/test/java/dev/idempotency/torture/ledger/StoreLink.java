package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.servers.TcpProxy;

/**
 * The way from one process to the store.
 */
final class StoreLink implements AutoCloseable {

	private final TcpProxy proxy;

	private final Random random;

	private volatile boolean cut;

	private volatile boolean stalled;

	private volatile int delayMillis;

	StoreLink(int storePort, Random random) {
		this.random = random;
		this.proxy = new TcpProxy(storePort, () -> this::carry);
	}

	int port() {
		return this.proxy.port();
	}

	private int carry(boolean answer, int bytes) {
		if (this.delayMillis > 0) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(this.random.nextInt(this.delayMillis)));
		}
		while (answer && this.stalled) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
		}
		return this.cut ? this.random.nextInt(bytes) : bytes;
	}

	/**
	 * Cuts what there is, also in the middle of an answer, and lets nothing through.
	 */
	void cut() {
		this.cut = true;
		this.proxy.cutAll();
	}

	/**
	 * Holds back what the store says: it has acted, and nobody knows.
	 */
	void stall() {
		this.stalled = true;
	}

	/**
	 * Lets everything take up to so much longer.
	 */
	void slow(Duration most) {
		this.delayMillis = (int) most.toMillis();
	}

	/**
	 * Is as it should be again.
	 */
	void heal() {
		this.cut = false;
		this.stalled = false;
		this.delayMillis = 0;
	}

	/**
	 * Leads to another server from now on.
	 */
	void pointTo(int storePort) {
		this.proxy.pointTo(storePort);
		this.proxy.cutAll();
	}

	@Override
	public void close() {
		this.proxy.close();
	}

}
