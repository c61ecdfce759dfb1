package dev.idempotency;

import java.util.Optional;

/**
 * What a protected operation can know and say about itself while it runs. A web handler
 * takes it as an argument; any code that runs on the operation's thread gets it from
 * {@link #current()}. While it is current on a thread, the {@linkplain org.slf4j.MDC
 * diagnostic context} of that thread's log has the key's
 * {@linkplain IdempotencyKey#hash() hash} under {@code idempotency.key}.
 * <p>
 * An operation that runs without protection has one too: where protection is switched
 * off, where nothing is enforced, and where no key is required and none was sent. It
 * passes everything through: steps run each time, and nothing is stored. A web handler
 * that wants to know takes an {@link Optional} of it, which is empty then.
 */
public interface IdempotencyContext {

	/**
	 * The context of the operation that runs on this thread.
	 * @return the context
	 * @throws IllegalStateException if no operation runs on this thread that is
	 * protected, or would be
	 */
	static IdempotencyContext current() {
		return find().orElseThrow(() -> new IllegalStateException(
				"No protected operation runs on this thread: pass the context on with makeCurrent()"));
	}

	/**
	 * The context of the operation that runs on this thread, if there is one.
	 * @return the context
	 */
	static Optional<IdempotencyContext> find() {
		return Optional.ofNullable(CurrentContext.get());
	}

	/**
	 * The key of the operation.
	 * @return the key; one that is made up for this one time if the operation runs
	 * without protection and has none that can be used
	 */
	IdempotencyKey key();

	/**
	 * Which attempt this is.
	 * @return 1, or more if earlier attempts vanished
	 */
	int attempt();

	/**
	 * Whether an earlier attempt may have done the work already: look before you act.
	 * @return whether an earlier attempt vanished
	 */
	default boolean isRetryAfterCrash() {
		return attempt() > 1;
	}

	/**
	 * Says what the operation did to the world.
	 * @param effect the effect
	 */
	void effect(Effect effect);

	/**
	 * Gives the key back when the operation ends, whatever its answer: a retry runs
	 * again.
	 */
	void doNotStore();

	/**
	 * The steps of the operation: sub-results that a retry does not work out again.
	 * @return the steps
	 */
	Steps steps();

	/**
	 * Makes this the current context of the calling thread, for work that is handed to
	 * another one.
	 * @return undoes it when closed, on the same thread
	 */
	default Binding makeCurrent() {
		return CurrentContext.bind(this);
	}

	/**
	 * That a context is current on a thread.
	 */
	interface Binding extends AutoCloseable {

		@Override
		void close();

	}

}
