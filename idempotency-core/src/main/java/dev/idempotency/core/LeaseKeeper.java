package dev.idempotency.core;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyException;
import dev.idempotency.store.Claim;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of executions that take longer than half of their lease, on one
 * thread.
 * <p>
 * A quicker execution costs an entry in a set and nothing else. The thread starts with
 * the first execution. It sleeps until the first renewal is due and a little longer (a
 * sixteenth of the lease), so that one sweep renews many leases.
 * <p>
 * Executions may still be in progress when it is closed. It continues until the last one
 * has ended, for a limited time.
 */
final class LeaseKeeper implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(EngineLog.NAME);

	private static final long NEVER = Long.MAX_VALUE;

	private static final long REST = TimeUnit.SECONDS.toNanos(1);

	private final GuardedStore store;

	private final Listeners listeners;

	private final Clock clock;

	private final ThreadFactory threads;

	private final Duration afterClose;

	private final Set<KeptLease> leases = ConcurrentHashMap.newKeySet();

	private final Object threadLock = new Object();

	private volatile @Nullable Thread thread;

	/**
	 * When to sweep next. A thread that adds a lease which is due earlier lowers it, also
	 * during a sweep.
	 */
	private final AtomicLong nextSweep = new AtomicLong(NEVER);

	private volatile boolean closed;

	/**
	 * When renewals end. Set when the keeper is closed.
	 */
	private volatile long end = NEVER;

	/**
	 * Create a keeper.
	 * @param afterClose how long it renews after it is closed
	 */
	LeaseKeeper(GuardedStore store, Listeners listeners, Clock clock, ThreadFactory threads, Duration afterClose) {
		this.threads = threads;
		this.afterClose = afterClose;
		this.store = store;
		this.listeners = listeners;
		this.clock = clock;
	}

	/**
	 * Renews a lease until it is {@linkplain KeptLease#end() ended}.
	 */
	KeptLease keep(Claim claim, Duration lease) {
		KeptLease kept = new KeptLease(claim, lease, this.clock.millis());
		try {
			this.leases.add(kept);
			long sweepBy = kept.sweepBy();
			// Read first: nearly always there is nothing to lower
			boolean sooner = sweepBy < this.nextSweep.get()
					&& sweepBy < this.nextSweep.getAndAccumulate(sweepBy, Math::min);
			if (sooner || this.thread == null) {
				LockSupport.unpark(thread());
			}
			return kept;
		}
		catch (Throwable ex) {
			// The thread may have failed to start
			kept.end();
			throw ex;
		}
	}

	/**
	 * Some of the keys whose leases are renewed.
	 */
	List<IdempotencyKey> someKeys(int limit) {
		return this.leases.stream().limit(limit).map((lease) -> lease.claim.key()).toList();
	}

	/**
	 * The number of leases that are renewed.
	 */
	int size() {
		return this.leases.size();
	}

	static Thread newThread(Runnable task) {
		Thread thread = new Thread(task, "idempotency-lease-keeper");
		thread.setDaemon(true);
		return thread;
	}

	private Thread thread() {
		Thread running = this.thread;
		if (running != null) {
			return running;
		}
		synchronized (this.threadLock) {
			running = this.thread;
			if (running == null) {
				running = this.threads.newThread(this::run);
				running.start();
				this.thread = running;
			}
			return running;
		}
	}

	private void run() {
		while (!hasNothingLeftToDo()) {
			try {
				sleepOrSweep();
			}
			catch (Throwable ex) {
				// Without this thread every long execution would lose its claim
				rest(ex);
			}
		}
	}

	/**
	 * Whether the thread can end. A lease that is added afterwards starts another one.
	 */
	private boolean hasNothingLeftToDo() {
		if (!this.closed) {
			return false;
		}
		synchronized (this.threadLock) {
			// Before the check: a caller that saw this thread has already added its lease
			this.thread = null;
			long next = this.nextSweep.getAndSet(NEVER);
			if (this.leases.isEmpty()) {
				return true;
			}
			this.nextSweep.accumulateAndGet(next, Math::min);
			this.thread = Thread.currentThread();
			return false;
		}
	}

	private void sleepOrSweep() {
		// An interrupt has no meaning here, and would prevent sleeping
		Thread.interrupted();
		long next = Math.min(this.nextSweep.get(), this.end);
		if (next == NEVER) {
			LockSupport.park(this);
			return;
		}
		long wait = next - this.clock.millis();
		if (wait > 0) {
			LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(wait));
			return;
		}
		this.nextSweep.set(NEVER);
		try {
			this.nextSweep.accumulateAndGet(sweep(), Math::min);
		}
		catch (Throwable ex) {
			// Still due, and nothing can be due earlier
			this.nextSweep.set(next);
			throw ex;
		}
	}

	private void rest(Throwable failure) {
		try {
			logger.error("Renewing leases failed; trying again in a second", failure);
		}
		catch (Throwable ex) {
			// The cause, such as a lack of memory, may prevent logging, too
		}
		LockSupport.parkNanos(this, REST);
	}

	/**
	 * Renews the leases that are due.
	 * @return when to sweep again
	 */
	long sweep() {
		if (this.end <= this.clock.millis()) {
			giveUp();
			return NEVER;
		}
		long next = NEVER;
		for (KeptLease lease : this.leases) {
			if (lease.isDue(this.clock.millis())) {
				renew(lease);
			}
			if (!lease.ended) {
				next = Math.min(next, lease.sweepBy());
			}
		}
		return next;
	}

	private void renew(KeptLease lease) {
		// The store may have started the lease long before it responds
		long asked = this.clock.millis();
		try {
			if (this.closed ? this.store.renewQuietly(lease.claim, lease.duration)
					: this.store.renew(lease.claim, lease.duration)) {
				lease.renewed(asked);
			}
			else {
				lease.notHeld();
			}
		}
		catch (IdempotencyException | Error ex) {
			// Logged and published already. The executions that follow must not lose
			// their claims because of it
			lease.renewalFailed(this.clock.millis());
		}
	}

	private void giveUp() {
		List<KeptLease> left = List.copyOf(this.leases);
		left.forEach(KeptLease::end);
		if (!left.isEmpty()) {
			logger.warn("Gave up on {} executions that were still in progress {} after the shutdown: when their leases "
					+ "expire, a retry elsewhere runs them again", left.size(), this.afterClose);
		}
	}

	/**
	 * Renews the leases of executions in progress until these have ended, for a limited
	 * time. Does not block.
	 */
	@Override
	public void close() {
		synchronized (this.threadLock) {
			if (this.closed) {
				return;
			}
			this.end = this.clock.millis() + this.afterClose.toMillis();
			this.closed = true;
		}
		int left = this.leases.size();
		if (left > 0) {
			logger.info("Shut down while {} executions are in progress: their leases are renewed for at most {} more",
					left, this.afterClose);
		}
		LockSupport.unpark(this.thread);
	}

	/**
	 * The lease of one execution.
	 */
	final class KeptLease {

		private final Claim claim;

		private final Duration duration;

		private volatile long due;

		private volatile boolean ended;

		private volatile boolean endsSoon;

		private boolean lossSaid;

		private KeptLease(Claim claim, Duration duration, long now) {
			this.claim = claim;
			this.duration = duration;
			this.due = now + part(2);
		}

		private long part(int divisor) {
			return Math.max(1, this.duration.toMillis() / divisor);
		}

		private boolean isDue(long now) {
			return !this.ended && this.due <= now;
		}

		private long sweepBy() {
			return this.due + part(16);
		}

		private void renewed(long now) {
			this.due = now + part(2);
		}

		private void renewalFailed(long now) {
			this.due = now + part(8);
		}

		/**
		 * Stops renewing the lease.
		 * @return whether it was renewed until now
		 */
		boolean end() {
			this.ended = true;
			return LeaseKeeper.this.leases.remove(this);
		}

		/**
		 * The key is about to be completed, and is renewed until it is. From now on only
		 * the completion tells whether the claim is lost: a renewal after it also finds
		 * nothing to renew.
		 */
		void endsSoon() {
			this.endsSoon = true;
		}

		private void notHeld() {
			if (this.endsSoon) {
				end();
			}
			else if (!this.ended) {
				lost();
			}
		}

		/**
		 * Stops renewing the lease, because the claim is lost. Logs and publishes that
		 * once.
		 */
		void lost() {
			end();
			if (isFirstLoss()) {
				logger.warn("Lost the claim of {}: its lease expired before its work was done", this.claim.key());
				LeaseKeeper.this.listeners.publish(new IdempotencyEvent.ClaimLost(this.claim.key()));
			}
		}

		private synchronized boolean isFirstLoss() {
			boolean first = !this.lossSaid;
			this.lossSaid = true;
			return first;
		}

		/**
		 * Cheaper than an identity hash, which the JVM has to create first. A lease
		 * equals only itself.
		 */
		@Override
		public int hashCode() {
			return this.claim.key().hashCode();
		}

	}

}
