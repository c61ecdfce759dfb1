package dev.idempotency.web;

import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.http.ProtectedRoutes;
import dev.idempotency.web.IdempotencyGate.Pass;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Protects functional routes:
 * {@code route().POST("/orders", handler).filter(idempotency)}. Each {@code with…} method
 * returns a filter for routes that differ from the defaults.
 */
public final class IdempotencyRouteFilter extends ProtectedRoutes<IdempotencyRouteFilter>
		implements HandlerFilterFunction<ServerResponse, ServerResponse> {

	private final IdempotencyGate gate;

	IdempotencyRouteFilter(ProtectedOperations operations, IdempotencyGate gate, ProtectedOperation operation) {
		super(operations, operation);
		this.gate = gate;
	}

	@Override
	protected IdempotencyRouteFilter with(ProtectedOperation operation) {
		return new IdempotencyRouteFilter(operations(), this.gate, operation);
	}

	/**
	 * A filter for routes that run in the transaction in which their key is completed, as
	 * with {@link dev.idempotency.Idempotent#transactional()}.
	 */
	public IdempotencyRouteFilter withTransaction() {
		ProtectedOperation transactional = operation().inTransaction();
		this.gate.requireTransactions(transactional, "A route");
		return with(transactional);
	}

	@Override
	public ServerResponse filter(ServerRequest request, HandlerFunction<ServerResponse> next) throws Exception {
		if (IdempotencyFilter.isSafe(request.servletRequest())) {
			return next.handle(request);
		}
		HttpServletRequest servletRequest = request.servletRequest();
		ProtectedOperation named = operations().named(operation(), servletRequest.getMethod(),
				ServletFacts.pattern(servletRequest), servletRequest.getRequestURI());
		Pass pass = this.gate.admit(servletRequest, next, named);
		if (pass == null) {
			// The response is known: what is written now is dropped
			return ServerResponse.ok().build();
		}
		try {
			return next.handle(request);
		}
		finally {
			pass.handlerReturned();
		}
	}

}
