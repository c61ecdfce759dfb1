package dev.idempotency.call;

import java.time.Duration;
import java.util.Optional;

import dev.idempotency.Fingerprint;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencySession;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.Outcome;
import dev.idempotency.ResultType;
import dev.idempotency.Settlement;
import dev.idempotency.Work;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Conclusion;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.Transactions;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs work once per key. The implementation of {@link Idempotency} on an engine.
 */
public final class IdempotencyTemplate implements Idempotency {

	/**
	 * A name that no application uses for its own operations.
	 */
	private static final String SESSION = "dev.idempotency.session";

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyTemplate.class);

	private final Calls calls;

	private final OperationPolicy policy;

	private final Duration waitTimeout;

	private final NamedOperations named;

	private final Fingerprint fingerprint;

	/**
	 * Create a template.
	 * @param calls runs the work
	 * @param policy the policy of operations
	 * @param waitTimeout how long an attempt waits for a concurrent one, if it waits at
	 * all
	 * @param named the settings of named operations, which override the policy
	 */
	public IdempotencyTemplate(Calls calls, OperationPolicy policy, Duration waitTimeout, NamedOperations named) {
		this(calls, policy, waitTimeout, named, Fingerprint.none());
	}

	private IdempotencyTemplate(Calls calls, OperationPolicy policy, Duration waitTimeout, NamedOperations named,
			Fingerprint fingerprint) {
		this.calls = calls;
		this.policy = policy;
		this.waitTimeout = waitTimeout;
		this.named = named;
		this.fingerprint = fingerprint;
	}

	/**
	 * A template that protects nothing, so that an application still runs when protection
	 * is switched off.
	 */
	public static Idempotency disabled() {
		return UnprotectedIdempotency.INSTANCE;
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object, X extends Exception> T execute(IdempotencyKey key, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		return (T) this.calls.runOrThrow(attempt(key), type.type(), null, work);
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object, X extends Exception> Outcome<T> attempt(IdempotencyKey key, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		CallState state = this.calls.run(attempt(key), this.calls.codec().forType(type.type()), null, work);
		if (state instanceof CallState.Executed executed) {
			return new Outcome.Executed<>((T) executed.value());
		}
		if (state instanceof CallState.Replayed replayed) {
			return new Outcome.Replayed<>((T) replayed.value());
		}
		return Refusals.toOutcome(((CallState.Refused) state).refusal());
	}

	private Attempt attempt(IdempotencyKey key) {
		return new Attempt(key, this.fingerprint, this.named.policyOf(key.scope().operation(), this.policy));
	}

	@Override
	public Optional<KeyStatus> find(IdempotencyKey key) {
		return this.calls.engine().find(key).map(Inspection::status);
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		boolean steps = this.calls.stepKeys(key, Fingerprint.none(), this.policy).forget();
		return this.calls.engine().forget(key) || steps;
	}

	@Override
	public <T extends @Nullable Object> Settlement settleAsDone(IdempotencyKey key, ResultType<T> type, T result) {
		byte[] payload = this.calls.codec().forType(type.type()).write(result);
		return settle(key, new Conclusion.Done(StoredResult.of(payload)));
	}

	@Override
	public Settlement settleAsDone(IdempotencyKey key) {
		return settle(key, new Conclusion.Done(StoredResult.tombstone()));
	}

	@Override
	public Settlement settleAsNotDone(IdempotencyKey key) {
		return settle(key, new Conclusion.NotDone());
	}

	private Settlement settle(IdempotencyKey key, Conclusion conclusion) {
		IdempotencyKey qualified = this.calls.engine().qualify(key);
		Settlement settlement = this.calls.engine().records().settle(qualified, this.policy, conclusion);
		if (settlement == Settlement.SETTLED) {
			logger.info("{} was settled as {} by the application", qualified, conclusion);
		}
		return settlement;
	}

	@Override
	public IdempotencySession session(String id) {
		return new RememberedSession(this.calls,
				this.calls.stepKeys(IdempotencyKey.of(SESSION, id), Fingerprint.none(), this.policy), OnCrash.RETRY,
				null);
	}

	@Override
	public Idempotency withTtl(Duration ttl) {
		return with(this.policy.withTtl(ttl));
	}

	@Override
	public Idempotency withOnConflict(OnConflict onConflict) {
		return with(this.policy.withPatience((onConflict == OnConflict.WAIT) ? this.waitTimeout : Duration.ZERO));
	}

	@Override
	public Idempotency withOnCrash(OnCrash onCrash) {
		return with(this.policy.withOnCrash(onCrash));
	}

	@Override
	public Idempotency withFingerprint(Fingerprint fingerprint) {
		return new IdempotencyTemplate(this.calls, this.policy, this.waitTimeout, this.named, fingerprint);
	}

	private Idempotency with(OperationPolicy policy) {
		return new IdempotencyTemplate(this.calls, policy, this.waitTimeout, this.named, this.fingerprint);
	}

	/**
	 * A session whose calls are stored.
	 */
	private record RememberedSession(Calls calls, StepKeys keys, OnCrash onCrash,
			@Nullable Transactions transactions) implements IdempotencySession {

		@Override
		@SuppressWarnings({ "unchecked", "NullAway" })
		public <T extends @Nullable Object, X extends Exception> T run(String tool, @Nullable Object inputs,
				ResultType<T> type, Work<? extends T, X> work) throws X {
			byte[] compared = this.calls.codec().digest(inputs);
			return (T) this.calls.runOrThrow(this.keys.attempt(tool, compared, this.onCrash), type.type(),
					this.transactions, work);
		}

		@Override
		public IdempotencySession withOnCrash(OnCrash onCrash) {
			return new RememberedSession(this.calls, this.keys, onCrash, this.transactions);
		}

		@Override
		public IdempotencySession transactional() {
			return new RememberedSession(this.calls, this.keys, this.onCrash, this.calls.transactions());
		}

		@Override
		public boolean forget() {
			return this.keys.forget();
		}

	}

}
