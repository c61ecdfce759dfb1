package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The steps of an operation: sub-results that are remembered as soon as they are there,
 * so that a retry of the operation replays those that have finished and goes on with the
 * next.
 * <p>
 * A step is remembered at once, whatever transaction the operation is in: it is meant for
 * effects that no roll-back undoes.
 */
public interface Steps {

	/**
	 * Runs a step, unless an earlier attempt has.
	 * @param name tells the step from the operation's others; an attempt can finish it
	 * once
	 * @param type the type of its result
	 * @param work the work
	 * @param <T> the type of its result
	 * @param <X> what the work may fail with
	 * @return the result, now or then
	 * @throws X if the work failed; a retry runs it again
	 */
	<T extends @Nullable Object, X extends Exception> T run(String name, ResultType<T> type, Work<? extends T, X> work)
			throws X;

	/**
	 * Runs a step, unless it has run with the same inputs.
	 * @param name tells the step from the operation's others
	 * @param inputs what it works on, such as a map or a record: compared as JSON, by its
	 * value
	 * @param type the type of its result
	 * @param work the work
	 * @param <T> the type of its result
	 * @param <X> what the work may fail with
	 * @return the result, now or then
	 * @throws X if the work failed; a retry runs it again
	 */
	<T extends @Nullable Object, X extends Exception> T run(String name, @Nullable Object inputs, ResultType<T> type,
			Work<? extends T, X> work) throws X;

	/**
	 * These steps with another answer to a crash: what becomes of a step that had begun
	 * when its process vanished.
	 * @param onCrash what becomes of it; by default it runs again
	 * @return the steps
	 */
	Steps withOnCrash(OnCrash onCrash);

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
	 * @param name tells the step from the operation's others; an attempt can finish it
	 * once
	 * @param work the work
	 * @param <X> what the work may fail with
	 * @throws X if the work failed; a retry runs it again
	 */
	default <X extends Exception> void run(String name, Work.Action<X> work) throws X {
		run(name, ResultType.of(Void.class), work.asWork());
	}

}
