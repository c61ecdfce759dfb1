package dev.idempotency.web;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;

import dev.idempotency.Effect;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.web.IdempotencyGate.Pass;

import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Protects functional routes:
 * {@code route().POST("/orders", handler).filter(idempotency)}. Each {@code with…} method
 * returns a filter for routes that differ from the defaults.
 */
public final class IdempotencyRouteFilter implements HandlerFilterFunction<ServerResponse, ServerResponse> {

	private final ProtectedOperations operations;

	private final IdempotencyGate gate;

	private final ProtectedOperation operation;

	IdempotencyRouteFilter(ProtectedOperations operations, IdempotencyGate gate, ProtectedOperation operation) {
		this.operations = operations;
		this.gate = gate;
		this.operation = operation;
	}

	private IdempotencyRouteFilter with(ProtectedOperation changed) {
		return new IdempotencyRouteFilter(this.operations, this.gate, changed);
	}

	private IdempotencyRouteFilter with(OperationPolicy policy) {
		return with(this.operation.with(policy, this.operation.limits()));
	}

	/**
	 * A filter for routes where a request without a key runs unprotected.
	 * @return the filter
	 */
	public IdempotencyRouteFilter withOptionalKey() {
		return with(this.operation.withOptionalKey());
	}

	/**
	 * A filter for routes whose key comes from another source.
	 * @param expression as in {@link dev.idempotency.Idempotent#key()}
	 * @return the filter
	 */
	public IdempotencyRouteFilter withKey(String expression) {
		return with(this.operation.withKeySource(this.operations.keySource(expression, "a route")));
	}

	/**
	 * A filter for routes where the key alone tells requests apart, as with
	 * {@link dev.idempotency.Idempotent#fingerprint()}.
	 * @return the filter
	 */
	public IdempotencyRouteFilter withoutFingerprint() {
		return with(this.operation.withoutFingerprint());
	}

	/**
	 * A filter for routes whose records have another ttl.
	 * @param ttl how long the records are kept
	 * @return the filter
	 */
	public IdempotencyRouteFilter withTtl(Duration ttl) {
		return with(this.operation.policy().withTtl(ttl));
	}

	/**
	 * A filter for routes that treat conflicts differently.
	 * @param onConflict what happens to a request whose key is in progress
	 * @return the filter
	 */
	public IdempotencyRouteFilter withOnConflict(OnConflict onConflict) {
		return with(this.operation.policy().withPatience(this.operations.patience(onConflict)));
	}

	/**
	 * A filter for routes that treat a crash differently.
	 * @param onCrash what happens to an abandoned key
	 * @return the filter
	 */
	public IdempotencyRouteFilter withOnCrash(OnCrash onCrash) {
		return with(this.operation.policy().withOnCrash(onCrash));
	}

	/**
	 * A filter for routes that declare their effect.
	 * @param effect the effect
	 * @return the filter
	 */
	public IdempotencyRouteFilter withEffect(Effect effect) {
		return with(this.operation.withEffect(effect));
	}

	/**
	 * A filter for routes that run in the transaction in which their key is completed, as
	 * with {@link dev.idempotency.Idempotent#transactional()}.
	 * @return the filter
	 */
	public IdempotencyRouteFilter withTransaction() {
		ProtectedOperation transactional = this.operation.inTransaction();
		this.gate.requireTransactions(transactional, "A route");
		return with(transactional);
	}

	@Override
	public ServerResponse filter(ServerRequest request, HandlerFunction<ServerResponse> next) throws Exception {
		if (IdempotencyFilter.isSafe(request.servletRequest())) {
			return next.handle(request);
		}
		HttpServletRequest servletRequest = request.servletRequest();
		ProtectedOperation named = this.operations.named(this.operation, servletRequest.getMethod(),
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
