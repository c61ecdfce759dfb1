package dev.idempotency.core;

import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyExpiredException;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Reason;
import dev.idempotency.ReplayDeniedException;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.LeaseKeeper.KeptLease;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.RecordId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether an attempt runs, waits, is replayed or is refused. Stores keep records,
 * the engine decides, and the edges translate.
 * <p>
 * The life of a key: <pre>
 *            claim                    complete
 *  (absent) ───────► IN_PROGRESS ───────────────► COMPLETED ──ttl──► (absent)
 *     ▲               │  │    ▲                      │    ▲
 *     └── release ────┘  └────┘                      └────┘
 *                     renew: the lease starts again  replay
 *                     takeover: the lease has expired, attempt + 1
 * </pre> A completed key does not run again before its ttl expires. After a takeover, a
 * release keeps the record, with an expired lease: whether the earlier attempt did the
 * work is still unknown, and the next one must know. An execution that reports that its
 * outcome is unknown leaves its record in the same way, after attempt 1 too.
 */
public final class IdempotencyEngine implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	private final EngineSettings settings;

	private final Listeners listeners;

	private final GuardedStore store;

	private final LeaseKeeper leaseKeeper;

	private final PatientClaims patientClaims;

	private final Records records;

	private volatile boolean paused;

	/**
	 * Create an engine.
	 * @param store keeps the records
	 * @param clock tells when to renew a lease and when a wait ends
	 * @param listeners receive all events
	 */
	public IdempotencyEngine(IdempotencyStore store, EngineSettings settings, Clock clock,
			List<? extends IdempotencyListener> listeners) {
		this(store, settings, clock, new EngineHooks(List.copyOf(listeners), null, null, null));
	}

	/**
	 * Create an engine with hooks.
	 * @param store keeps the records
	 * @param clock tells when to renew a lease and when a wait ends
	 */
	public IdempotencyEngine(IdempotencyStore store, EngineSettings settings, Clock clock, EngineHooks hooks) {
		this(store, settings, clock, hooks, LeaseKeeper::newThread, LeaseKeeper::startRenewals);
	}

	/**
	 * For tests that renew leases themselves.
	 */
	IdempotencyEngine(IdempotencyStore store, EngineSettings settings, Clock clock, EngineHooks hooks,
			ThreadFactory keeper, Executor renewals) {
		this.settings = settings;
		this.listeners = new Listeners(hooks);
		this.store = new GuardedStore(store, this.listeners, settings.packing());
		this.patientClaims = new PatientClaims(this.store, clock, settings.maxWaiting());
		this.leaseKeeper = new LeaseKeeper(this.store, this.listeners, clock, keeper, renewals, settings.afterClose());
		this.records = new Records(store, settings, this.listeners, this.leaseKeeper, clock);
	}

	/**
	 * The settings of the engine.
	 */
	public EngineSettings settings() {
		return this.settings;
	}

	/**
	 * Decides about an attempt. If the key is in progress and the policy has patience,
	 * waits for its result; an interrupted wait ends early.
	 * @throws IdempotencyStoreException if the store failed and nothing may run without
	 * it
	 * @throws dev.idempotency.UnsupportedFormatException if the operation has run and its
	 * result was stored by a newer release
	 * @throws dev.idempotency.UnreadableResultException if the operation has run and its
	 * result was encrypted with an unknown key or is damaged
	 */
	public Decision begin(Attempt attempt) {
		return begin(attempt, this.settings.mode() == Mode.OBSERVE);
	}

	/**
	 * Decides about an attempt at something that has no effect, such as generating a name
	 * that must be the same each time. The decision is enforced in observe mode, too:
	 * that mode prevents replays of operations, but not such reads.
	 * @throws IdempotencyStoreException as {@link #begin(Attempt)} does
	 */
	public Decision recall(Attempt attempt) {
		return begin(attempt, false);
	}

	private Decision begin(Attempt attempt, boolean observing) {
		Attempt qualified = qualify(attempt);
		return decide(qualified, observing, this.listeners.following(qualified.key()),
				() -> observing ? this.store.claim(qualified) : this.patientClaims.claim(qualified));
	}

	/**
	 * Decides about an attempt.
	 * @param attempt the attempt, in its namespace and its trace
	 * @param observing whether the attempt runs even if its claim is refused
	 * @param told the listeners that get the decision
	 * @param claim claims the key, or returns the result of an earlier claim
	 */
	private Decision decide(Attempt attempt, boolean observing, Listeners told, Supplier<ClaimResult> claim) {
		Decision decision;
		try {
			decision = decide(attempt, claim.get(), told);
		}
		catch (IdempotencyKeyExpiredException ex) {
			decision = Decision.Refused.keyExpired();
		}
		catch (IdempotencyException ex) {
			if (this.settings.mode() == Mode.ENFORCE && !mayRunWithoutStore(ex)) {
				told.publish(new IdempotencyEvent.Undecided(attempt.key(), ex));
				throw ex;
			}
			logger.warn("Running {} without protection: {}", attempt.key(), ex.getMessage());
			told.publish(new IdempotencyEvent.RanUnprotected(attempt.key()));
			return unprotected(attempt);
		}
		catch (Throwable ex) {
			FirstFailure.then(ex, () -> told.publish(new IdempotencyEvent.Undecided(attempt.key(),
					new IdempotencyStoreException("Nothing was decided about %s".formatted(attempt.key()), ex))));
			throw ex;
		}
		boolean enforced = !observing || decision instanceof Decision.Proceed;
		if (enforced && decision instanceof Decision.Replay replay && attempt.replayable() != null) {
			decision = authorized(replay, attempt, told);
		}
		tell(decision, enforced, attempt.key(), told);
		if (enforced) {
			return decision;
		}
		logger.info("Observed only: {} would have been answered with {}", attempt.key(), decision);
		return unprotected(attempt);
	}

	/**
	 * Asks whether the caller may get the result. A failure is the application's own, and
	 * never one of the store, after which an operation might run without protection.
	 */
	private static Decision authorized(Decision.Replay replay, Attempt attempt, Listeners told) {
		try {
			Decision.Answer answer = Answers.authorized(replay, attempt);
			if (answer != replay) {
				logger.info("The stored result of {} is denied to its caller", attempt.key());
			}
			return answer;
		}
		catch (Throwable ex) {
			FirstFailure.then(ex,
					() -> told.publish(new IdempotencyEvent.Undecided(attempt.key(), new ReplayDeniedException(
							"Nothing was decided about a replay of %s".formatted(attempt.key()), ex))));
			throw ex;
		}
	}

	/**
	 * Publishes the decision. If that fails, the operation does not run, and a claimed
	 * key is released.
	 */
	private static void tell(Decision decision, boolean enforced, IdempotencyKey key, Listeners told) {
		try {
			told.publish((decision instanceof Decision.Proceed proceed)
					? new IdempotencyEvent.Decided(key, proceed.execution().attempt(), null, enforced)
					: new IdempotencyEvent.Decided(key, 0, (Decision.Answer) decision, enforced));
		}
		catch (Throwable ex) {
			if (decision instanceof Decision.Proceed proceed) {
				FirstFailure.then(ex, proceed.execution()::close);
			}
			throw ex;
		}
	}

	private boolean mayRunWithoutStore(IdempotencyException ex) {
		return ex instanceof IdempotencyStoreException && this.settings.onStoreFailure() == OnStoreFailure.PROCEED;
	}

	private static Decision unprotected(Attempt attempt) {
		return new Decision.Proceed(new UnprotectedExecution(attempt.key()));
	}

	private Decision decide(Attempt attempt, ClaimResult result, Listeners told) {
		if (result instanceof ClaimResult.Refused refused) {
			return Answers.answer(refused.record(), attempt, this.store);
		}
		Claim claim = ((ClaimResult.Granted) result).claim();
		KeptLease lease = null;
		try {
			lease = this.leaseKeeper.keep(claim, attempt.policy().lease());
			// After keep: either the pausing thread sees the lease, or this thread sees
			// the pause
			if (this.paused) {
				throw new IdempotencyStoreException(
						"%s does not begin: the connections of the idempotency store are being closed"
							.formatted(attempt.key()),
						null);
			}
			if (claim.attempt() > 1) {
				// Nothing else reports that a process crashed during an operation
				logger.warn("Attempt {} at {} begins: an earlier one did not complete, and may have done its work",
						claim.attempt(), claim.key());
				told.publish(new IdempotencyEvent.TakenOver(claim.key(), claim.attempt()));
			}
			return new Decision.Proceed(new ClaimedExecution(this.store, told, attempt, claim, lease));
		}
		catch (Throwable ex) {
			// Nothing has run
			if (lease != null) {
				lease.end();
			}
			FirstFailure.thenTry(ex, () -> this.store.release(claim));
			throw ex;
		}
	}

	private Attempt qualify(Attempt attempt) {
		return attempt.within(this.settings.namespace()).in(this.listeners.currentTrace());
	}

	/**
	 * Decides about an attempt, as {@link #begin(Attempt)} does, without blocking: an
	 * attempt that waits for a key in progress has no thread meanwhile. The trace and the
	 * place of the keys are taken from the calling thread.
	 * @param threads call the store and the listeners
	 * @param handler receives the decision once, on one of these threads, unless the
	 * attempt was cancelled before
	 * @return allows the caller to cancel the attempt
	 */
	public PendingDecision begin(Attempt attempt, DecisionThreads threads, DecisionHandler handler) {
		return begin(attempt, this.settings.mode() == Mode.OBSERVE, threads, handler);
	}

	/**
	 * Decides about an attempt at something that has no effect, as
	 * {@link #recall(Attempt)} does, without blocking.
	 * @param threads call the store and the listeners
	 * @param handler receives the decision
	 * @return allows the caller to cancel the attempt
	 */
	public PendingDecision recall(Attempt attempt, DecisionThreads threads, DecisionHandler handler) {
		return begin(attempt, false, threads, handler);
	}

	private PendingDecision begin(Attempt attempt, boolean observing, DecisionThreads threads,
			DecisionHandler handler) {
		Attempt qualified = qualify(attempt);
		Listeners told = this.listeners.following(qualified.key());
		PendingClaim pending = new PendingClaim(this.patientClaims, qualified, !observing,
				(claim) -> decide(qualified, observing, told, claim), threads, handler);
		pending.start();
		return pending;
	}

	/**
	 * Returns what {@link #begin(Attempt)} would decide, and changes nothing.
	 * @return the decision and the record
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 * @throws dev.idempotency.UnreadableResultException if {@link #begin(Attempt)} would
	 */
	public Preview preview(Attempt attempt) {
		Attempt qualified = attempt.within(this.settings.namespace());
		Optional<Inspection> found = this.store.find(qualified.key());
		boolean runsAnyway = this.settings.mode() == Mode.OBSERVE;
		if (runsAnyway) {
			return new Preview(null, found);
		}
		return new Preview(found.isPresent() ? Answers.foresee(found.get(), qualified, this.store)
				: qualified.mayBeFirst() ? null : Decision.Refused.keyExpired(), found);
	}

	/**
	 * The key as the store knows it.
	 * @return the key inside the engine's namespace, unless it has one
	 */
	public IdempotencyKey qualify(IdempotencyKey key) {
		return key.within(this.settings.namespace());
	}

	/**
	 * Reads the record of a key. Its result, if there is one, is as it is stored.
	 * @param key the key; without a namespace, the engine's own
	 * @return the record, if there is one
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	public Optional<Inspection> find(IdempotencyKey key) {
		return this.store.find(qualify(key));
	}

	/**
	 * Forgets a key in any state; the next attempt is attempt 1.
	 * @param key the key; without a namespace, the engine's own
	 * @return whether there was anything to forget
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot forget
	 */
	public boolean forget(IdempotencyKey key) {
		IdempotencyKey qualified = qualify(key);
		boolean forgotten = this.store.forget(qualified);
		if (forgotten) {
			this.listeners
				.publish(new IdempotencyEvent.Forgotten(qualified.scope().operation(), RecordId.of(qualified)));
		}
		return forgotten;
	}

	/**
	 * The records of the application, for operators.
	 */
	public Records records() {
		return this.records;
	}

	/**
	 * Publishes that a request is rejected before its key can be looked up.
	 * @param operation the operation of the request
	 * @param reason what is wrong with it
	 * @return whether to reject it; {@code false} in observe mode, where it runs
	 * unprotected
	 */
	public boolean reject(String operation, Reason reason) {
		boolean enforced = this.settings.mode() == Mode.ENFORCE;
		this.listeners.publish(new IdempotencyEvent.Rejected(operation, reason, enforced));
		if (enforced) {
			logger.debug("{} was rejected: {}", operation, reason);
		}
		else {
			logger.info("Observed only: {} would have been rejected: {}", operation, reason);
		}
		return enforced;
	}

	/**
	 * Makes sure that the time of a key can decide whether it is claimed, which takes a
	 * look at its record.
	 * @throws IdempotencyConfigurationException if records cannot be looked at
	 */
	public void requireInspectable() {
		if (!this.store.isInspectable()) {
			throw new IdempotencyConfigurationException(
					"idempotency.http.key-age is set, but the idempotency store is not an InspectableStore",
					"Implement InspectableStore, or leave idempotency.http.key-age out.");
		}
	}

	/**
	 * Makes sure that the keys of an operation can be completed inside transactions.
	 * @param transactions the transactions of its work, or {@code null} if there are none
	 * @param operation its readable name
	 * @throws IdempotencyConfigurationException if they cannot
	 */
	public void requireJoining(@Nullable Transactions transactions, String operation) {
		if (transactions == null) {
			throw Transactions.missing(operation, "transactional = true");
		}
		if (!this.store.canJoin()) {
			throw new IdempotencyConfigurationException(
					"%s is transactional, but its idempotency store cannot join a transaction".formatted(operation),
					"Use idempotency.store=jdbc, or leave transactional out.");
		}
		if (!isJoined(transactions, operation)) {
			throw new IdempotencyConfigurationException(
					("%s is transactional, and the transaction manager does not manage the database of the idempotency "
							+ "store: its work and its key would not be committed together")
						.formatted(operation),
					"Let the store and the transaction manager use the same DataSource, or leave transactional out.");
		}
	}

	private boolean isJoined(Transactions transactions, String operation) {
		try {
			Transactions.Transaction transaction = transactions.begin();
			try {
				return this.store.isInTransaction();
			}
			finally {
				transaction.rollBack();
			}
		}
		catch (RuntimeException ex) {
			// A database that is down at startup must not keep the application from
			// starting
			logger.warn("Could not check whether {} can run in a transaction: {}", operation, ex.toString());
			return true;
		}
	}

	/**
	 * Whether a key could be completed inside the transaction that the calling thread is
	 * in.
	 * @return whether it is in one, in the store's own database
	 */
	public boolean isInTransaction() {
		return this.store.isInTransaction();
	}

	/**
	 * The number of keys that this engine holds.
	 * @return the number of executions whose leases it renews
	 */
	public int executionsInProgress() {
		return this.leaseKeeper.size();
	}

	/**
	 * The leases that could not be renewed for three quarters of their length. When they
	 * expire, retries run their operations a second time.
	 * @return how many there are, by the place in the store
	 */
	public Map<String, Integer> lateLeases() {
		return this.leaseKeeper.late();
	}

	/**
	 * Stops new executions, unless one is in progress: the store is about to lose its
	 * connections, and a new execution could not keep its key.
	 * @return whether none is in progress; otherwise nothing is changed
	 */
	public boolean pauseIfIdle() {
		if (this.leaseKeeper.size() > 0) {
			return false;
		}
		this.paused = true;
		// An execution that has begun since may continue
		this.paused = this.leaseKeeper.size() == 0;
		return this.paused;
	}

	/**
	 * Allows new executions again.
	 */
	public void resume() {
		this.paused = false;
	}

	/**
	 * The number of attempts in this engine that wait for a key in progress.
	 * @return the number of attempts
	 */
	public long attemptsWaiting() {
		return this.patientClaims.waiting();
	}

	/**
	 * Renews the leases that are due, on the calling thread.
	 */
	void renewLeases() {
		this.leaseKeeper.sweep();
	}

	/**
	 * Closes the engine without blocking. The leases of executions in progress are
	 * renewed until these have ended, for at most as long as the settings say.
	 */
	@Override
	public void close() {
		this.leaseKeeper.close();
	}

}
