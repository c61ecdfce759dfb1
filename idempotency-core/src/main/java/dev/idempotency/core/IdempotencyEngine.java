package dev.idempotency.core;

import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

import dev.idempotency.CoreSetting;
import dev.idempotency.Explanation;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Reason;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.RecordId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what is to be done about an attempt: stores remember, the engine decides, the
 * edges translate.
 * <p>
 * The life of a key: <pre>
 *            claim                    complete
 *  (absent) ───────► IN_PROGRESS ───────────────► COMPLETED ──ttl──► (absent)
 *     ▲               │  │    ▲                      │    ▲
 *     └── release ────┘  └────┘                      └────┘
 *                     renew: the lease runs anew     replay
 *                     takeover: the lease is over, attempt + 1
 * </pre> A completed key is never run again while its ttl lasts. After a takeover,
 * releasing keeps the record, with its lease over: whether the attempt that vanished did
 * the work is still unknown, and the next one must know.
 */
public final class IdempotencyEngine implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEngine.class);

	private final EngineSettings settings;

	private final Listeners listeners;

	private final GuardedStore store;

	private final LeaseKeeper leaseKeeper;

	private final PatientClaims patientClaims;

	private final Deciding deciding;

	private final Records records;

	/**
	 * Create an engine.
	 * @param store remembers
	 * @param settings what holds for every operation
	 * @param clock tells when a lease is to be renewed and when patience ends
	 * @param listeners hear of everything that happens
	 */
	public IdempotencyEngine(IdempotencyStore store, EngineSettings settings, Clock clock,
			List<? extends IdempotencyListener> listeners) {
		this(store, settings, clock, new EngineHooks(List.copyOf(listeners), null, null, null));
	}

	/**
	 * Create an engine that is watched.
	 * @param store remembers
	 * @param settings what holds for every operation
	 * @param clock tells when a lease is to be renewed and when patience ends
	 * @param hooks those who watch
	 */
	public IdempotencyEngine(IdempotencyStore store, EngineSettings settings, Clock clock, EngineHooks hooks) {
		this(store, settings, clock, hooks, LeaseKeeper::newThread);
	}

	/**
	 * For tests that renew leases themselves.
	 */
	IdempotencyEngine(IdempotencyStore store, EngineSettings settings, Clock clock, EngineHooks hooks,
			ThreadFactory renewing) {
		this.settings = settings;
		this.listeners = new Listeners(hooks);
		this.store = new GuardedStore(store, this.listeners, settings.packing());
		this.patientClaims = new PatientClaims(this.store, clock);
		this.leaseKeeper = new LeaseKeeper(this.store, this.listeners, clock, renewing, settings.afterClose());
		this.deciding = new Deciding(settings, this.store, this.leaseKeeper);
		this.records = new Records(store, settings, this.listeners, this.leaseKeeper, clock);
	}

	/**
	 * What holds for every operation.
	 * @return the settings
	 */
	public EngineSettings settings() {
		return this.settings;
	}

	/**
	 * Decides about an attempt. Waits for the same operation when it is running and the
	 * policy is patient; an interrupted wait ends early.
	 * @param attempt the attempt
	 * @return what is to be done
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
	 * Decides about an attempt at something that runs nothing, such as making up a name
	 * that is to be the same each time. It counts in observe mode, too: whoever observes
	 * keeps operations from being replayed, and not what is remembered of them from being
	 * read.
	 * @param attempt the attempt
	 * @return what is to be done
	 * @throws IdempotencyStoreException as {@link #begin(Attempt)} does
	 */
	public Decision recall(Attempt attempt) {
		return begin(attempt, false);
	}

	private Decision begin(Attempt attempt, boolean observing) {
		Attempt qualified = qualify(attempt);
		return this.deciding.decide(qualified, observing, this.listeners.following(qualified.key()),
				() -> observing ? this.store.claim(qualified) : this.patientClaims.claim(qualified));
	}

	private Attempt qualify(Attempt attempt) {
		return attempt.within(this.settings.namespace()).in(this.listeners.currentTrace());
	}

	/**
	 * Decides about an attempt, as {@link #begin(Attempt)} does, and blocks nobody: an
	 * attempt that waits for the same operation has no thread meanwhile. What belongs to
	 * the calling thread, which is its trace and the place of its keys, is taken now.
	 * @param attempt the attempt
	 * @param threads where the store is asked, and listeners are told
	 * @param handler is told what is to be done, once, on one of these threads, unless
	 * the attempt was cancelled before
	 * @return lets whoever asked give up
	 */
	public PendingDecision begin(Attempt attempt, DecisionThreads threads, DecisionHandler handler) {
		return begin(attempt, this.settings.mode() == Mode.OBSERVE, threads, handler);
	}

	/**
	 * Decides about an attempt at something that runs nothing, as
	 * {@link #recall(Attempt)} does, and blocks nobody.
	 * @param attempt the attempt
	 * @param threads where the store is asked, and listeners are told
	 * @param handler is told what is to be done
	 * @return lets whoever asked give up
	 */
	public PendingDecision recall(Attempt attempt, DecisionThreads threads, DecisionHandler handler) {
		return begin(attempt, false, threads, handler);
	}

	private PendingDecision begin(Attempt attempt, boolean observing, DecisionThreads threads,
			DecisionHandler handler) {
		Attempt qualified = qualify(attempt);
		Listeners told = this.listeners.following(qualified.key());
		PendingClaim pending = new PendingClaim(this.patientClaims, new PendingClaim.Question(qualified, !observing,
				(claim) -> this.deciding.decide(qualified, observing, told, claim)), threads, handler);
		pending.start();
		return pending;
	}

	/**
	 * Says what {@link #begin(Attempt)} would decide, and changes nothing.
	 * @param attempt the attempt
	 * @return what would be done, and what is remembered
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot be looked into
	 * @throws dev.idempotency.UnreadableResultException if {@link #begin(Attempt)} would
	 */
	public Preview preview(Attempt attempt) {
		Attempt qualified = attempt.within(this.settings.namespace());
		Optional<Inspection> found = this.store.find(qualified.key());
		boolean runsAnyway = this.settings.mode() == Mode.OBSERVE;
		return new Preview(
				(runsAnyway || found.isEmpty()) ? null : Answering.foresee(found.get(), qualified, this.store), found);
	}

	/**
	 * The key as the store knows it.
	 * @param key the key
	 * @return the key inside the engine's namespace, unless it has one
	 */
	public IdempotencyKey qualify(IdempotencyKey key) {
		return key.within(this.settings.namespace());
	}

	/**
	 * Says what is remembered under a key, and changes nothing. Its result, if there is
	 * one, is as the store keeps it.
	 * @param key the key; without a namespace, the engine's own
	 * @return what is there, if anything
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot be looked into
	 */
	public Optional<Inspection> find(IdempotencyKey key) {
		return this.store.find(qualify(key));
	}

	/**
	 * Forgets a key in whatever state it is; the next attempt is a first one.
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
	 * The records of the application, for people who look after it.
	 * @return the records
	 */
	public Records records() {
		return this.records;
	}

	/**
	 * Hears of a request that is to be turned away before its key can be looked up.
	 * @param operation the operation it was meant for
	 * @param reason what is wrong with it
	 * @return whether it is to be turned away; {@code false} in observe mode, where it
	 * runs unprotected
	 */
	public boolean reject(String operation, Reason reason) {
		boolean enforced = this.settings.mode() == Mode.ENFORCE;
		this.listeners.publish(new IdempotencyEvent.Rejected(operation, reason, enforced));
		if (enforced) {
			logger.debug("{} was turned away: {}", operation, reason);
		}
		else {
			logger.info("Observed only: {} would have been turned away: {}", operation, reason);
		}
		return enforced;
	}

	/**
	 * Makes sure that the keys of an operation can be completed inside transactions.
	 * @param transactions in which it is to do its work, or {@code null} if there are
	 * none
	 * @param operation its name, for people
	 * @throws IdempotencyConfigurationException if they cannot
	 */
	public void requireJoining(@Nullable Transactions transactions, String operation) {
		if (transactions == null) {
			throw Transactions.missing(operation, "transactional = true");
		}
		if (!this.store.canJoin()) {
			throw new IdempotencyConfigurationException(
					Explanation.of("%s is transactional, and its key is remembered where no transaction can be joined",
							operation),
					Explanation.of("Use %s, or leave transactional out.", CoreSetting.JOINING_STORE));
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
			// Whether the application can live without its database is not ours to decide
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
	 * How many keys this engine holds now.
	 * @return the number of executions whose leases it renews
	 */
	public int executionsInProgress() {
		return this.leaseKeeper.size();
	}

	/**
	 * Lets nothing begin from now on, unless something is in progress: the store is about
	 * to lose its connections, and what begins could not keep its key.
	 * @return whether nothing is in progress; otherwise nothing has changed
	 */
	public boolean pauseIfIdle() {
		return this.deciding.pauseIfIdle();
	}

	/**
	 * Lets operations begin again.
	 */
	public void resume() {
		this.deciding.resume();
	}

	/**
	 * How many attempts wait in this engine for the same operation to end elsewhere.
	 * @return the number of attempts
	 */
	public long attemptsWaiting() {
		return this.patientClaims.waiting();
	}

	/**
	 * Renews what is due now, without waiting for the thread that does it.
	 */
	void renewLeases() {
		this.leaseKeeper.sweep();
	}

	/**
	 * Closes the engine, and blocks nobody. The leases of executions that are in progress
	 * are renewed until these have ended, for as long at most as the settings say.
	 */
	@Override
	public void close() {
		this.leaseKeeper.close();
	}

}
