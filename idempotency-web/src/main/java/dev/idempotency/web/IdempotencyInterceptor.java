package dev.idempotency.web;

import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.web.IdempotencyGate.Pass;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.AsyncHandlerInterceptor;

/**
 * Interceptor that decides whether the handler of a request is protected, and whether it
 * runs. It must come after all other interceptors, so that no key is claimed for a
 * request that one of them rejects.
 */
public final class IdempotencyInterceptor implements AsyncHandlerInterceptor {

	private final ProtectedOperations operations;

	private final IdempotencyGate gate;

	IdempotencyInterceptor(ProtectedOperations operations, IdempotencyGate gate) {
		this.operations = operations;
		this.gate = gate;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		Exchange exchange = isDetour(request) ? Exchange.of(request) : null;
		ProtectedRun host = (exchange != null && !exchange.isErrorForwarded()) ? exchange.run() : null;
		if (host != null) {
			host.detourBegun(handler);
			return true;
		}
		if (!(handler instanceof HandlerMethod method)) {
			return true;
		}
		ProtectedOperation operation = this.operations.find(method, request.getMethod());
		if (operation == null) {
			return true;
		}
		operation = this.operations.named(operation, request.getMethod(), ServletFacts.pattern(request),
				request.getRequestURI());
		Pass pass = this.gate.admit(request, handler, operation);
		if (pass == null) {
			return false;
		}
		ProtectedRun run = runOf(request);
		if (run != null) {
			run.handlerBegins(response);
		}
		if (pass != Pass.NOTHING && run != null) {
			run.keep(pass);
		}
		else if (pass != Pass.NOTHING) {
			UnprotectedRun.keep(request, handler, pass);
		}
		return true;
	}

	@Override
	public void afterConcurrentHandlingStarted(HttpServletRequest request, HttpServletResponse response,
			Object handler) {
		UnprotectedRun.handlerReturned(request, handler);
		ProtectedRun run = runOf(request);
		if (run != null && !run.isDetourEnded(handler)) {
			run.handlerReturned();
		}
	}

	@Override
	public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable Exception ex) {
		UnprotectedRun.handlerReturned(request, handler);
		ProtectedRun run = runOf(request);
		if (run == null || run.isDetourEnded(handler)) {
			return;
		}
		try {
			run.handlerReturned();
			if (ex != null && FailedAnswer.isReasonFor(ex)) {
				// The failure of a view is reported only here
				run.answerFailed();
			}
		}
		finally {
			// Also for functional routes
			run.answerRendered(response);
		}
	}

	/**
	 * Whether one handler has called another one through the container, and continues
	 * when that returns.
	 */
	private static boolean isDetour(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.INCLUDE
				|| request.getDispatcherType() == DispatcherType.FORWARD;
	}

	private static @Nullable ProtectedRun runOf(HttpServletRequest request) {
		Exchange exchange = Exchange.of(request);
		return (exchange != null) ? exchange.run() : null;
	}

}
