package dev.idempotency;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Runs work once per key, programmatically: what {@link Idempotent} does for handlers and
 * methods.
 * <p>
 * Results are stored immediately, outside of any transaction of the caller. Views with
 * other settings share the same records.
 */
public interface Idempotency {

	/**
	 * Runs work, unless it has run under this key.
	 * @param type the type of its result
	 * @param <T> the type of its result
	 * @param <X> what the work may fail with
	 * @return the result of this run or of the earlier one
	 * @throws X if the work failed; a retry runs it again
	 * @throws IdempotencyException if it did not run and there is no result
	 */
	<T extends @Nullable Object, X extends Exception> T execute(IdempotencyKey key, ResultType<T> type,
			Work<? extends T, X> work) throws X;

	/**
	 * Runs work, unless it has run under this key, and returns the outcome.
	 * @param type the type of its result
	 * @param <T> the type of its result
	 * @param <X> what the work may fail with
	 * @throws X if the work failed; a retry runs it again
	 */
	<T extends @Nullable Object, X extends Exception> Outcome<T> attempt(IdempotencyKey key, ResultType<T> type,
			Work<? extends T, X> work) throws X;

	/**
	 * Finds the status of a key.
	 * @return the status, if there is a record
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	Optional<KeyStatus> find(IdempotencyKey key);

	/**
	 * Forgets a key and its steps, in any state: the next attempt runs. An attempt that
	 * is still running loses its claim.
	 * @return whether there was anything to forget
	 * @throws UnsupportedOperationException if the store cannot forget
	 */
	boolean forget(IdempotencyKey key);

	/**
	 * Settles an abandoned key as done, once it is known that the lost attempt did the
	 * work, and with which result. Retries get the result. For keys of {@link #execute}
	 * and of methods; HTTP responses are settled by operators, at the endpoint
	 * {@code idempotency}.
	 * @param type the type of its result
	 * @param <T> the type of its result
	 * @return whether it was settled; nothing is changed unless the key is abandoned
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	<T extends @Nullable Object> Settlement settleAsDone(IdempotencyKey key, ResultType<T> type, T result);

	/**
	 * Settles an abandoned key as done, without a result: it does not run again, and
	 * retries are refused because there is no result.
	 * @return whether it was settled; nothing is changed unless the key is abandoned
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	Settlement settleAsDone(IdempotencyKey key);

	/**
	 * Settles an abandoned key as not done, once it is known that the lost attempt did
	 * not do the work. The next attempt is attempt 1. Steps that have finished stay
	 * finished.
	 * @return whether it was settled; nothing is changed unless the key is abandoned
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	Settlement settleAsNotDone(IdempotencyKey key);

	/**
	 * A session: a task that is made of calls to tools.
	 * @param id identifies the task, and is the same each time it is restarted
	 */
	IdempotencySession session(String id);

	/**
	 * A view with another ttl.
	 * @param ttl how long keys and their results are stored, from the claim on
	 */
	Idempotency withTtl(Duration ttl);

	/**
	 * A view that handles conflicts differently.
	 * @param onConflict what happens to an attempt with a key that is in progress
	 */
	Idempotency withOnConflict(OnConflict onConflict);

	/**
	 * A view that handles crashes differently.
	 * @param onCrash what happens to an abandoned key
	 */
	Idempotency withOnCrash(OnCrash onCrash);

	/**
	 * A view that compares fingerprints, and not only keys.
	 * @param fingerprint the fingerprint of the next attempts
	 */
	Idempotency withFingerprint(Fingerprint fingerprint);

	/**
	 * Runs work, unless it has run under this key, as
	 * {@link #execute(IdempotencyKey, ResultType, Work)} does.
	 */
	default <T extends @Nullable Object, X extends Exception> T execute(IdempotencyKey key, Class<T> type,
			Work<? extends T, X> work) throws X {
		return execute(key, ResultType.of(type), work);
	}

	/**
	 * Settles an abandoned key as done, as
	 * {@link #settleAsDone(IdempotencyKey, ResultType, Object)} does.
	 */
	default <T extends @Nullable Object> Settlement settleAsDone(IdempotencyKey key, Class<T> type, T result) {
		return settleAsDone(key, ResultType.of(type), result);
	}

	/**
	 * Runs work without a result, unless it has run under this key.
	 * @param <X> what the work may fail with
	 * @throws X if the work failed; a retry runs it again
	 * @throws IdempotencyException if it did not run, now or before
	 */
	default <X extends Exception> void execute(IdempotencyKey key, Work.Action<X> work) throws X {
		execute(key, ResultType.of(Void.class), work.asWork());
	}

	/**
	 * Runs work, unless it has run under this key, and returns the outcome, as
	 * {@link #attempt(IdempotencyKey, ResultType, Work)} does.
	 */
	default <T extends @Nullable Object, X extends Exception> Outcome<T> attempt(IdempotencyKey key, Class<T> type,
			Work<? extends T, X> work) throws X {
		return attempt(key, ResultType.of(type), work);
	}

}
