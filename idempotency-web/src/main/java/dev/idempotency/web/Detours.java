package dev.idempotency.web;

import org.jspecify.annotations.Nullable;

/**
 * The handlers that a handler has included, or forwarded to, and that have not returned
 * yet. Whatever becomes of them, only its own return ends the handler itself.
 */
final class Detours {

	private @Nullable Detour innermost;

	private boolean failed;

	void begun(Object handler) {
		this.innermost = new Detour(handler, this.innermost);
	}

	/**
	 * Whether what has returned was a detour. The innermost one is the first to return.
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
	 * @param outer the one that has called it in turn, if it is not the run's own
	 */
	private record Detour(Object handler, @Nullable Detour outer) {
	}

}
