package dev.idempotency.sample;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.servers.TcpProxy;
import org.jspecify.annotations.Nullable;

/**
 * A way to a server on which each connection breaks sooner or later: somewhere in a
 * request, or somewhere in an answer, as chance will have it.
 */
final class CuttingProxy implements AutoCloseable {

	/**
	 * How far a connection comes at most: about four requests, or two answers.
	 */
	private static final int FARTHEST = 1500;

	private final TcpProxy proxy;

	private final Random random;

	private final AtomicInteger cutRequests = new AtomicInteger();

	private final AtomicInteger cutAnswers = new AtomicInteger();

	private volatile boolean cutting = true;

	private volatile @Nullable CountDownLatch held;

	CuttingProxy(int target, long seed) {
		this.random = new Random(seed);
		this.proxy = new TcpProxy(target, this::line);
	}

	String url() {
		return "http://localhost:" + this.proxy.port();
	}

	int cutRequests() {
		return this.cutRequests.get();
	}

	int cutAnswers() {
		return this.cutAnswers.get();
	}

	/**
	 * Lets everything through from now on.
	 */
	CuttingProxy mended() {
		this.cutting = false;
		return this;
	}

	/**
	 * Keeps the next answer back, for ever.
	 * @return says when it has come
	 */
	CountDownLatch holdAnswer() {
		CountDownLatch answer = new CountDownLatch(1);
		this.held = answer;
		return answer;
	}

	private TcpProxy.Line line() {
		boolean inRequest = this.random.nextBoolean();
		AtomicLong left = new AtomicLong(this.cutting ? this.random.nextInt(FARTHEST) : Long.MAX_VALUE);
		AtomicBoolean silent = new AtomicBoolean();
		return (answer, bytes) -> {
			if (answer && isSilent(silent)) {
				return TcpProxy.SWALLOW;
			}
			return (answer == inRequest) ? bytes
					: carryLast(bytes, left, inRequest ? this.cutRequests : this.cutAnswers);
		};
	}

	private boolean isSilent(AtomicBoolean silent) {
		CountDownLatch holding = this.held;
		if (holding != null) {
			this.held = null;
			silent.set(true);
			holding.countDown();
		}
		return silent.get();
	}

	/**
	 * Carries so many bytes, and cuts the connection.
	 */
	private static int carryLast(int bytes, AtomicLong left, AtomicInteger cut) {
		long before = left.getAndAdd(-bytes);
		if (before > bytes) {
			return bytes;
		}
		cut.incrementAndGet();
		// All but the last byte at most, which says that it ends here
		return (int) Math.max(0, Math.min(before, bytes - 1));
	}

	@Override
	public void close() {
		this.proxy.close();
	}

}
