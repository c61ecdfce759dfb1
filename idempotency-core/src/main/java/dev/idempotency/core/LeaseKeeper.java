package dev.idempotency.core;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of executions that take longer than half of their lease.
 * <p>
 * A quicker execution costs an entry in a set and nothing else. One thread, which starts
 * with the first execution, sleeps until the first renewal is due and a little longer (a
 * sixteenth of the lease), so that one sweep finds many leases. It never calls the store.
 * Each {@linkplain RenewalQueue place} of the store has at most one thread, while leases
 * are due there: a place that does not respond delays no other one.
 * <p>
 * Executions may still be in progress when it is closed. It continues until the last one
 * has ended, for a limited time.
 */
final class LeaseKeeper implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	private static final long NEVER = Long.MAX_VALUE;

	private static final long REST = TimeUnit.SECONDS.toNanos(1);

	private static final Object ONLY_PLACE = "the store";

	private final GuardedStore store;

	private final Listeners listeners;

	private final Clock clock;

	private final ThreadFactory threads;

	private final Executor renewals;

	private final Duration afterClose;

	private final Set<KeptLease> leases = ConcurrentHashMap.newKeySet();

	private final Map<Object, RenewalQueue> queues = new ConcurrentHashMap<>();

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
	 * @param threads creates the thread that finds leases to renew
	 * @param renewals renews the leases of a place
	 * @param afterClose how long it renews after it is closed
	 */
	LeaseKeeper(GuardedStore store, Listeners listeners, Clock clock, ThreadFactory threads, Executor renewals,
			Duration afterClose) {
		this.threads = threads;
		this.renewals = renewals;
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
			sweepBy(kept.due + kept.part(16));
			return kept;
		}
		catch (Throwable ex) {
			// The thread may have failed to start
			kept.end();
			throw ex;
		}
	}

	private void sweepBy(long time) {
		// Read first: nearly always there is nothing to lower
		boolean sooner = time < this.nextSweep.get() && time < this.nextSweep.getAndAccumulate(time, Math::min);
		if (sooner || this.thread == null) {
			LockSupport.unpark(thread());
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

	/**
	 * How many leases are close to their end because they could not be renewed, by place.
	 */
	Map<String, Integer> late() {
		long now = this.clock.millis();
		Map<String, Integer> late = new LinkedHashMap<>();
		for (KeptLease lease : this.leases) {
			if (lease.isLate(now)) {
				late.merge(String.valueOf(lease.place), 1, Integer::sum);
			}
		}
		return late;
	}

	static Thread newThread(Runnable task) {
		Thread thread = new Thread(task, "idempotency-lease-keeper");
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Renews on a thread of its own, which ends afterwards: renewals are rare.
	 */
	static void startRenewals(Runnable task) {
		Thread thread = new Thread(task, "idempotency-lease-renewal");
		thread.setDaemon(true);
		thread.start();
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
	 * Has the leases that are due renewed, and warns of those that are late.
	 * @return when to sweep again
	 */
	long sweep() {
		long now = this.clock.millis();
		if (this.end <= now) {
			giveUp();
			return NEVER;
		}
		for (KeptLease lease : this.leases) {
			if (lease.due <= now && !lease.queued && !lease.ended) {
				queueOf(lease).add(lease);
			}
		}
		this.queues.values().forEach(RenewalQueue::start);
		this.queues.values().forEach((queue) -> queue.late = 0);
		long next = NEVER;
		for (KeptLease lease : this.leases) {
			RenewalQueue queue = lease.isLate(now) ? this.queues.get(lease.place) : null;
			if (queue != null) {
				queue.late++;
			}
			next = Math.min(next, lease.sweepBy(now));
		}
		this.queues.values().forEach(RenewalQueue::warn);
		this.queues.values().removeIf(RenewalQueue::isIdle);
		return next;
	}

	private RenewalQueue queueOf(KeptLease lease) {
		Object place = this.store.renewalPlace(lease.claim);
		lease.place = (place != null) ? place : ONLY_PLACE;
		return this.queues.computeIfAbsent(lease.place, RenewalQueue::new);
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
	 * The leases of one place that are due. They are renewed in batches, those that
	 * expire first before the others, by one thread at a time.
	 */
	private final class RenewalQueue implements Runnable {

		private final Object place;

		private final Queue<KeptLease> due = new ConcurrentLinkedQueue<>();

		private final AtomicBoolean running = new AtomicBoolean();

		/**
		 * How many leases are late, and of how many the log tells already. Only the
		 * thread that sweeps uses them.
		 */
		private int late;

		private int lateInLog;

		private RenewalQueue(Object place) {
			this.place = place;
		}

		private void add(KeptLease lease) {
			lease.queued = true;
			this.due.add(lease);
		}

		private void start() {
			if (this.due.isEmpty() || !this.running.compareAndSet(false, true)) {
				return;
			}
			try {
				LeaseKeeper.this.renewals.execute(this);
			}
			catch (OutOfMemoryError ex) {
				// There can be no more threads: better late than never
				run();
			}
		}

		private boolean isIdle() {
			return this.due.isEmpty() && !this.running.get() && this.lateInLog == 0;
		}

		private void warn() {
			if (this.late > this.lateInLog) {
				logger
					.warn("{} leases at {} could not be renewed for three quarters of their length. When they expire, "
							+ "retries run their operations a second time", this.late, this.place);
				// The next warning comes when there are twice as many
				this.lateInLog = 2 * this.late;
			}
			else if (this.late == 0 && this.lateInLog > 0) {
				logger.info("No lease at {} is late any more", this.place);
				this.lateInLog = 0;
			}
		}

		@Override
		public void run() {
			do {
				// Nothing is taken out before there is room for it
				List<KeptLease> taken = new ArrayList<>(this.due);
				taken.forEach((lease) -> this.due.poll());
				try {
					taken.sort(Comparator.comparingLong((lease) -> lease.expires));
					Map<Duration, List<KeptLease>> byLength = new LinkedHashMap<>();
					taken.forEach((lease) -> byLength.computeIfAbsent(lease.duration, (length) -> new ArrayList<>())
						.add(lease));
					byLength.values().forEach((leases) -> renewAll(leases, LeaseKeeper.this.store.mostRenewals()));
				}
				finally {
					taken.forEach(KeptLease::tryAgainUnlessRenewed);
					this.running.set(false);
				}
				// What was added meanwhile has found this thread running
			}
			while (!this.due.isEmpty() && this.running.compareAndSet(false, true));
		}

		private void renewAll(List<KeptLease> leases, int most) {
			int size = leases.size();
			for (int from = 0; from < size; from += most) {
				List<KeptLease> batch = leases.subList(from, Math.min(size, from + most));
				if (renew(batch)) {
					continue;
				}
				if (!responds(leases, batch)) {
					return;
				}
				if (batch.size() > 1) {
					// One claim is the reason. It must not keep the others from being
					// renewed
					renewAll(batch, (batch.size() + 1) / 2);
				}
			}
		}

		/**
		 * Whether the place can renew another claim than one that failed alone.
		 */
		private boolean responds(List<KeptLease> leases, List<KeptLease> failed) {
			return Stream.of(leases.get(leases.size() - 1), leases.get(0))
				.anyMatch((lease) -> (failed.size() > 1 || lease != failed.get(0)) && renew(List.of(lease)));
		}

		/**
		 * Asks the store.
		 * @return whether it responded
		 */
		private boolean renew(List<KeptLease> batch) {
			List<KeptLease> held = batch.stream().filter((lease) -> !lease.ended).toList();
			if (held.isEmpty()) {
				return true;
			}
			// The store may have started the leases long before it responds
			long asked = LeaseKeeper.this.clock.millis();
			try {
				Set<Claim> lost = LeaseKeeper.this.store.renew(held.stream().map((lease) -> lease.claim).toList(),
						held.get(0).duration, LeaseKeeper.this.closed);
				for (KeptLease lease : held) {
					if (lost.contains(lease.claim)) {
						lease.notHeld();
					}
					else {
						lease.renewed(asked);
					}
				}
				return true;
			}
			catch (IdempotencyException | Error ex) {
				// Logged and published already. The leases that follow must not expire
				// because of it
				return false;
			}
		}

	}

	/**
	 * The lease of one execution.
	 */
	final class KeptLease {

		private final Claim claim;

		private final Duration duration;

		/**
		 * When to renew it next.
		 */
		private volatile long due;

		private volatile long expires;

		/**
		 * Whether it waits for its renewal, or is being renewed.
		 */
		private volatile boolean queued;

		/**
		 * Where it was renewed last.
		 */
		private volatile Object place = ONLY_PLACE;

		private volatile boolean ended;

		private volatile boolean endsSoon;

		private boolean lossSaid;

		private KeptLease(Claim claim, Duration duration, long now) {
			this.claim = claim;
			this.duration = duration;
			this.due = now + part(2);
			this.expires = now + duration.toMillis();
		}

		private long part(int divisor) {
			return Math.max(1, this.duration.toMillis() / divisor);
		}

		/**
		 * When the next sweep should come, because of a renewal or a warning.
		 */
		private long sweepBy(long now) {
			if (this.ended) {
				return NEVER;
			}
			long lateFrom = this.expires - part(4);
			long renewal = this.queued ? NEVER : this.due + part(16);
			return (lateFrom > now) ? Math.min(renewal, lateFrom) : renewal;
		}

		private boolean isLate(long now) {
			return !this.ended && this.expires - part(4) <= now;
		}

		private void renewed(long asked) {
			this.expires = asked + this.duration.toMillis();
			dueAt(asked + part(2));
		}

		private void tryAgainUnlessRenewed() {
			if (this.queued) {
				dueAt(LeaseKeeper.this.clock.millis() + part(16));
			}
		}

		private void dueAt(long time) {
			this.due = time;
			this.queued = false;
			if (!this.ended) {
				LeaseKeeper.this.sweepBy(time + part(16));
			}
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
