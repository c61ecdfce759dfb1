package dev.idempotency.torture.ledger;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.servers.TcpProxy;

/**
 * The way from the clients to one process: one connection in four is cut, mostly
 * somewhere in an answer.
 */
final class ClientLink implements AutoCloseable {

	private final TcpProxy proxy;

	private final Random random;

	private final AtomicInteger cuts;

	private volatile boolean cutting = true;

	ClientLink(int target, Random random, AtomicInteger cuts) {
		this.random = random;
		this.cuts = cuts;
		this.proxy = new TcpProxy(target, this::line);
	}

	int port() {
		return this.proxy.port();
	}

	private synchronized TcpProxy.Line line() {
		boolean doomed = this.random.nextInt(4) == 0;
		boolean inAnswer = this.random.nextInt(4) > 0;
		AtomicLong left = new AtomicLong(this.random.nextInt(4000));
		return (answer, bytes) -> {
			if (!doomed || !this.cutting || answer != inAnswer) {
				return bytes;
			}
			long before = left.getAndAdd(-bytes);
			if (before >= bytes) {
				return bytes;
			}
			this.cuts.incrementAndGet();
			return (int) Math.max(0, before);
		};
	}

	/**
	 * Cuts nothing from now on.
	 */
	void heal() {
		this.cutting = false;
	}

	@Override
	public void close() {
		this.proxy.close();
	}

}
