package dev.idempotency.store.redis;

import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.servers.TcpProxy;

/**
 * Stands between a driver and its server, and cuts the connection when told to: after the
 * server has done its work, before the driver hears of it.
 */
final class AnswerLosingProxy implements AutoCloseable {

	private final TcpProxy proxy;

	private final AtomicInteger toLose = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	AnswerLosingProxy(int serverPort) {
		this.proxy = new TcpProxy(serverPort, () -> this::carry);
	}

	int port() {
		return this.proxy.port();
	}

	void loseNextAnswer() {
		this.toLose.incrementAndGet();
	}

	int lost() {
		return this.lost.get();
	}

	private int carry(boolean answer, int bytes) {
		if (answer && this.toLose.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
			this.lost.incrementAndGet();
			return 0;
		}
		return bytes;
	}

	@Override
	public void close() {
		this.proxy.close();
	}

}
