package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * A task that is made of calls to tools, such as an agent's, and that survives a restart
 * of its process: a tool that has been called with some inputs is not called with them
 * again, however often the task is restarted.
 */
public interface IdempotencySession {

	/**
	 * Calls a tool, unless it was called with the same inputs in this session.
	 * @param tool the name of the tool
	 * @param inputs its inputs, such as a map or a record: compared as JSON, by value
	 * @param type the type of its result
	 * @param work the call
	 * @param <T> the type of its result
	 * @param <X> what the call may fail with
	 * @return the result of this call or of the earlier one
	 * @throws X if the call failed; a retry makes it again
	 */
	<T extends @Nullable Object, X extends Exception> T run(String tool, @Nullable Object inputs, ResultType<T> type,
			Work<? extends T, X> work) throws X;

	/**
	 * This session with other crash handling: what happens to a call that was in progress
	 * when its process crashed.
	 * @param onCrash what happens to it; by default it is made again
	 */
	IdempotencySession withOnCrash(OnCrash onCrash);

	/**
	 * This session with each call in a transaction of its own, in which its result is
	 * stored, as {@link Steps#transactional()} says.
	 * @throws IdempotencyConfigurationException if the store cannot take part in a
	 * transaction of the application
	 */
	IdempotencySession transactional();

	/**
	 * Forgets every call of this session.
	 * @return whether there was anything to forget
	 * @throws UnsupportedOperationException if the store cannot forget
	 */
	boolean forget();

	/**
	 * Calls a tool, unless it was called with the same inputs in this session, as
	 * {@link #run(String, Object, ResultType, Work)} does.
	 */
	default <T extends @Nullable Object, X extends Exception> T run(String tool, @Nullable Object inputs, Class<T> type,
			Work<? extends T, X> work) throws X {
		return run(tool, inputs, ResultType.of(type), work);
	}

	/**
	 * Calls a tool without a result, unless it was called with the same inputs in this
	 * session.
	 * @param tool the name of the tool
	 * @param inputs its inputs, such as a map or a record
	 * @param work the call
	 * @param <X> what the call may fail with
	 * @throws X if the call failed; a retry makes it again
	 */
	default <X extends Exception> void run(String tool, @Nullable Object inputs, Work.Action<X> work) throws X {
		run(tool, inputs, ResultType.of(Void.class), work.asWork());
	}

}
