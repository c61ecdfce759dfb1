package dev.idempotency.web;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.web.IdempotencyGate.Pass;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Handlers that run without protection, but with a context. A request may be forwarded
 * from one to another.
 */
final class UnprotectedRun {

	private static final String CONTEXT = UnprotectedRun.class.getName() + ".context";

	private static final String KEPT = UnprotectedRun.class.getName() + ".kept";

	private UnprotectedRun() {
	}

	/**
	 * Makes a context current for the handler, and for the task that it may return.
	 */
	static Pass begin(HttpServletRequest request, IdempotencyContext context) {
		request.setAttribute(CONTEXT, context);
		WebAsyncUtils.getAsyncManager(request)
			.registerCallableInterceptor(UnprotectedRun.class, new TaskWatch(context));
		return context.makeCurrent()::close;
	}

	/**
	 * The context of the handler that runs without protection.
	 * @return the context, or {@code null} if there is none
	 */
	static @Nullable IdempotencyContext contextOf(HttpServletRequest request) {
		return (IdempotencyContext) request.getAttribute(CONTEXT);
	}

	/**
	 * Whether such a handler has run, and only its result is left to be written.
	 */
	static boolean isOver(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.ASYNC && contextOf(request) != null;
	}

	/**
	 * Keeps the pass of a handler until the handler has returned.
	 */
	static void keep(HttpServletRequest request, Object handler, Pass pass) {
		request.setAttribute(KEPT, new Kept(handler, pass, (Kept) request.getAttribute(KEPT)));
	}

	/**
	 * A handler has returned, on its thread.
	 */
	static void handlerReturned(HttpServletRequest request, Object handler) {
		Kept kept = (Kept) request.getAttribute(KEPT);
		if (kept != null && kept.handler() == handler) {
			request.setAttribute(KEPT, kept.outer());
			kept.pass().handlerReturned();
		}
	}

	/**
	 * The pass of a handler that has not returned yet.
	 *
	 * @param handler the handler, one object for each dispatch
	 * @param outer that of the handler that has forwarded to this one, if there is one
	 */
	private record Kept(Object handler, Pass pass, @Nullable Kept outer) {
	}

}
