package dev.idempotency.web;

import org.jspecify.annotations.Nullable;

/**
 * The handlers that a handler has included, or forwarded to, and that have not returned
 * yet. The outer handler ends only with its own return.
 */
final class Detours {

	private @Nullable Detour innermost;

	private boolean failed;

	void begun(Object handler) {
		this.innermost = new Detour(handler, this.innermost);
	}

	/**
	 * Whether the handler that has returned was a detour. The innermost one returns
	 * first.
	 */
	boolean isEnded(Object handler) {
		for (Detour each = this.innermost; each != null; each = each.outer()) {
			if (each.handler() == handler) {
				this.innermost = each.outer();
				return true;
			}
		}
		return false;
	}

	boolean areUnderWay() {
		return this.innermost != null;
	}

	void failed() {
		this.failed = true;
	}

	boolean haveFailed() {
		return this.failed;
	}

	/**
	 * A handler inside of another one's dispatch.
	 *
	 * @param handler the handler
	 * @param outer the detour that has called it, or {@code null} if the run's own
	 * handler has
	 */
	private record Detour(Object handler, @Nullable Detour outer) {
	}

}
