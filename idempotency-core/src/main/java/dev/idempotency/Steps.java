package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The steps of an operation: sub-results that are stored as soon as they exist, so that a
 * retry of the operation replays the finished steps and continues with the next.
 * <p>
 * A step is stored immediately, outside of any transaction of the operation: it is meant
 * for effects that no rollback undoes. Work in the store's own database is done by
 * {@linkplain #transactional() transactional} steps, which run exactly once.
 */
public interface Steps {

	/**
	 * Runs a step, unless an earlier attempt has.
	 * @param name identifies the step within the operation; an attempt can finish it once
	 * @param type the type of its result
	 * @param <T> the type of its result
	 * @param <X> what the work may fail with
	 * @return the result of this run or of the earlier one
	 * @throws X if the work failed; a retry runs it again
	 */
	<T extends @Nullable Object, X extends Exception> T run(String name, ResultType<T> type, Work<? extends T, X> work)
			throws X;

	/**
	 * Runs a step, unless it has run with the same inputs.
	 * @param name identifies the step within the operation
	 * @param inputs its inputs, such as a map or a record: compared as JSON, by value
	 * @param type the type of its result
	 * @param <T> the type of its result
	 * @param <X> what the work may fail with
	 * @return the result of this run or of the earlier one
	 * @throws X if the work failed; a retry runs it again
	 */
	<T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs, ResultType<T> type,
			Work<? extends T, X> work) throws X;

	/**
	 * These steps with other crash handling: what happens to a step that was in progress
	 * when its process crashed.
	 * @param onCrash what happens to it; by default it runs again
	 */
	Steps withOnCrash(OnCrash onCrash);

	/**
	 * These steps, each in a transaction of its own, in which its result is stored: what
	 * a step does in the store's database and its result are committed together, or
	 * neither is. It has run exactly once when {@code run} returns.
	 * <p>
	 * The transaction is a new one, even inside of another, and stays when that is rolled
	 * back. A step that fails is rolled back, and so is one whose result cannot be
	 * stored, or whose key another attempt has taken over. An operation that is not
	 * protected has no such transactions.
	 * @throws IdempotencyConfigurationException if the store cannot take part in a
	 * transaction of the application
	 */
	Steps transactional();

	/**
	 * Runs a step, unless an earlier attempt has, as
	 * {@link #run(String, ResultType, Work)} does.
	 */
	default <T extends @Nullable Object, X extends Exception> T run(String name, Class<T> type,
			Work<? extends T, X> work) throws X {
		return run(name, ResultType.of(type), work);
	}

	/**
	 * Runs a step, unless it has run with the same inputs, as
	 * {@link #run(String, Object, ResultType, Work)} does.
	 */
	default <T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs, Class<T> type,
			Work<? extends T, X> work) throws X {
		return run(name, inputs, ResultType.of(type), work);
	}

	/**
	 * Runs a step without a result, unless an earlier attempt has.
	 * @param name identifies the step within the operation; an attempt can finish it once
	 * @param <X> what the work may fail with
	 * @throws X if the work failed; a retry runs it again
	 */
	default <X extends Exception> void run(String name, Work.Action<X> work) throws X {
		run(name, ResultType.of(Void.class), work.asWork());
	}

}
