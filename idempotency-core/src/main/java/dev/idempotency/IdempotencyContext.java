package dev.idempotency;

import java.util.Optional;

/**
 * The context of a running protected operation. A web handler takes it as an argument;
 * any code that runs on the operation's thread gets it from {@link #current()}. While it
 * is current on a thread, that thread's {@linkplain org.slf4j.MDC MDC} has the key's
 * {@linkplain IdempotencyKey#hash() hash} under {@code idempotency.key}.
 * <p>
 * An operation that runs without protection has a context too: where protection is
 * disabled, where nothing is enforced, and where no key is required and none was sent. It
 * is a pass-through: steps run each time, and nothing is stored. A web handler that needs
 * to tell the difference takes an {@link Optional} of it, which is empty then.
 */
public interface IdempotencyContext {

	/**
	 * The context of the operation that runs on this thread.
	 * @throws IllegalStateException if this thread runs no operation that is protected,
	 * or would be
	 */
	static IdempotencyContext current() {
		return find().orElseThrow(() -> new IllegalStateException(
				"No protected operation runs on this thread: pass the context on with makeCurrent()"));
	}

	/**
	 * The context of the operation that runs on this thread, if there is one.
	 */
	static Optional<IdempotencyContext> find() {
		return Optional.ofNullable(CurrentContext.get());
	}

	/**
	 * The key of the operation.
	 * @return the key; a generated one if the operation runs without protection and
	 * without a usable key
	 */
	IdempotencyKey key();

	/**
	 * Which attempt this is.
	 * @return 1, or more after a takeover
	 */
	int attempt();

	/**
	 * Whether an earlier attempt may have done the work already. If so, check before you
	 * do it again.
	 * @return whether this attempt has taken the key over
	 */
	default boolean mayHaveRun() {
		return attempt() > 1;
	}

	/**
	 * Sets the effect of the operation.
	 */
	void effect(Effect effect);

	/**
	 * Releases the key when the operation ends, whatever its result: a retry runs again.
	 */
	void doNotStore();

	/**
	 * It is unknown whether the operation does its work, for example because a call to
	 * another system was not answered. When it ends, whatever its result, the key is left
	 * to the next attempt at once, and that attempt knows: it is told so in the same way
	 * as after a crash, and {@link OnCrash} applies.
	 */
	void outcomeUnknown();

	/**
	 * The steps of the operation: sub-results that a retry replays.
	 */
	Steps steps();

	/**
	 * Makes this the current context of the calling thread, for work that is handed to
	 * another one.
	 * @return restores the previous context when closed, on the same thread
	 */
	default Binding makeCurrent() {
		return CurrentContext.bind(this);
	}

	/**
	 * The binding of a context to a thread.
	 */
	interface Binding extends AutoCloseable {

		@Override
		void close();

	}

}
