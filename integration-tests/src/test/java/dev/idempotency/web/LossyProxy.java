package dev.idempotency.web;

import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.servers.TcpProxy;

/**
 * A way to a server on which answers get lost: the server has sent them, and the client
 * waits in vain.
 */
final class LossyProxy implements AutoCloseable {

	private final TcpProxy proxy;

	private final AtomicInteger answersToLose;

	private final AtomicInteger lost = new AtomicInteger();

	LossyProxy(int target, int answersToLose) {
		this.answersToLose = new AtomicInteger(answersToLose);
		this.proxy = new TcpProxy(target, () -> this::carry);
	}

	int port() {
		return this.proxy.port();
	}

	int lostAnswers() {
		return this.lost.get();
	}

	private int carry(boolean answer, int bytes) {
		if (answer && this.answersToLose.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
			this.lost.incrementAndGet();
			return TcpProxy.SWALLOW;
		}
		return bytes;
	}

	@Override
	public void close() {
		this.proxy.close();
	}

}
