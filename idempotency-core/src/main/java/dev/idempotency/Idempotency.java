package dev.idempotency;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Runs work once per key, by hand: what {@link Idempotent} does for handlers and methods.
 * <p>
 * What it remembers is remembered at once, whatever transaction the caller is in. Views
 * with other terms share what they remember.
 */
public interface Idempotency {

	/**
	 * Runs work, unless it has run under this key.
	 * @param key the key
	 * @param type the type of its result
	 * @param work the work
	 * @param <T> the type of its result
	 * @param <X> what the work may fail with
	 * @return the result, now or then
	 * @throws X if the work failed; a retry runs it again
	 * @throws IdempotencyException if it did not run and there is no result
	 */
	<T extends @Nullable Object, X extends Exception> T execute(IdempotencyKey key, ResultType<T> type,
			Work<? extends T, X> work) throws X;

	/**
	 * Runs work, unless it has run under this key, and says what came of it.
	 * @param key the key
	 * @param type the type of its result
	 * @param work the work
	 * @param <T> the type of its result
	 * @param <X> what the work may fail with
	 * @return what came of it
	 * @throws X if the work failed; a retry runs it again
	 */
	<T extends @Nullable Object, X extends Exception> Outcome<T> attempt(IdempotencyKey key, ResultType<T> type,
			Work<? extends T, X> work) throws X;

	/**
	 * Says what is remembered under a key.
	 * @param key the key
	 * @return what is there, if anything
	 * @throws UnsupportedOperationException if the store cannot be looked into
	 */
	Optional<KeyStatus> find(IdempotencyKey key);

	/**
	 * Forgets a key and its steps, in whatever state it is: the next attempt runs. One
	 * that is still running loses its claim.
	 * @param key the key
	 * @return whether there was anything to forget
	 * @throws UnsupportedOperationException if the store cannot forget
	 */
	boolean forget(IdempotencyKey key);

	/**
	 * Settles an abandoned key as done: its attempt vanished, and someone has found out
	 * that it did the work and what came of it. Retries get the result. For keys of
	 * {@link #execute} and of methods; answers to requests are settled by operators, at
	 * the endpoint {@code idempotency}.
	 * @param key the key
	 * @param type the type of its result
	 * @param result the result
	 * @param <T> the type of its result
	 * @return what became of it; nothing is changed unless the key is abandoned
	 * @throws UnsupportedOperationException if the store cannot be looked into
	 */
	<T extends @Nullable Object> Settlement settleAsDone(IdempotencyKey key, ResultType<T> type, T result);

	/**
	 * Settles an abandoned key as done, without a result: it does not run again, and
	 * retries are told that there is no result.
	 * @param key the key
	 * @return what became of it; nothing is changed unless the key is abandoned
	 * @throws UnsupportedOperationException if the store cannot be looked into
	 */
	Settlement settleAsDone(IdempotencyKey key);

	/**
	 * Settles an abandoned key as not done: someone has found out that the attempt that
	 * vanished did not do the work. The next attempt is a first one. Steps that it
	 * finished stay finished.
	 * @param key the key
	 * @return what became of it; nothing is changed unless the key is abandoned
	 * @throws UnsupportedOperationException if the store cannot be looked into
	 */
	Settlement settleAsNotDone(IdempotencyKey key);

	/**
	 * A task that is made of calls to tools.
	 * @param id tells the task from all others, and is the same each time it is begun
	 * anew
	 * @return the session
	 */
	IdempotencySession session(String id);

	/**
	 * A view that remembers for another time.
	 * @param ttl how long keys and their results are remembered, from the claim on
	 * @return the view
	 */
	Idempotency withTtl(Duration ttl);

	/**
	 * A view with another answer to work that is running.
	 * @param onConflict what becomes of an attempt whose twin is running
	 * @return the view
	 */
	Idempotency withOnConflict(OnConflict onConflict);

	/**
	 * A view with another answer to a crash.
	 * @param onCrash what becomes of a key whose executor vanished
	 * @return the view
	 */
	Idempotency withOnCrash(OnCrash onCrash);

	/**
	 * A view that compares what attempts are asked to do, and not only their keys.
	 * @param fingerprint what the next attempts are asked to do
	 * @return the view
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
	 * @param key the key
	 * @param work the work
	 * @param <X> what the work may fail with
	 * @throws X if the work failed; a retry runs it again
	 * @throws IdempotencyException if it did not run and has not
	 */
	default <X extends Exception> void execute(IdempotencyKey key, Work.Action<X> work) throws X {
		execute(key, ResultType.of(Void.class), work.asWork());
	}

	/**
	 * Runs work, unless it has run under this key, and says what came of it, as
	 * {@link #attempt(IdempotencyKey, ResultType, Work)} does.
	 */
	default <T extends @Nullable Object, X extends Exception> Outcome<T> attempt(IdempotencyKey key, Class<T> type,
			Work<? extends T, X> work) throws X {
		return attempt(key, ResultType.of(type), work);
	}

}
