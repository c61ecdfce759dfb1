package dev.idempotency.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.AsyncHandlerInterceptor;

/**
 * Knows the handler of a request, and so decides whether it is protected and whether it
 * runs. It belongs behind all other interceptors, so that nothing is claimed for a
 * request that one of them turns away.
 */
public final class IdempotencyInterceptor implements AsyncHandlerInterceptor {

	private static final String PASS = IdempotencyInterceptor.class.getName() + ".pass";

	private final ProtectedOperations operations;

	private final IdempotencyGate gate;

	IdempotencyInterceptor(ProtectedOperations operations, IdempotencyGate gate) {
		this.operations = operations;
		this.gate = gate;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		if (!(handler instanceof HandlerMethod method)) {
			return true;
		}
		ProtectedOperation operation = this.operations.find(method, request.getMethod());
		if (operation == null) {
			return true;
		}
		IdempotencyGate.Pass pass = this.gate.admit(request, handler, operation);
		if (pass == null) {
			return false;
		}
		if (pass != IdempotencyGate.Pass.NOTHING) {
			request.setAttribute(PASS, pass);
		}
		return true;
	}

	@Override
	public void afterConcurrentHandlingStarted(HttpServletRequest request, HttpServletResponse response,
			Object handler) {
		handlerReturned(request);
	}

	@Override
	public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable Exception ex) {
		handlerReturned(request);
		// Also behind the filter function of routes
		Exchange exchange = Exchange.of(request);
		if (exchange != null && exchange.run() != null) {
			exchange.run().answerRendered(response);
		}
	}

	private static void handlerReturned(HttpServletRequest request) {
		if (request.getAttribute(PASS) instanceof IdempotencyGate.Pass pass) {
			request.removeAttribute(PASS);
			pass.handlerReturned();
		}
	}

}
