package dev.idempotency.web;

import java.time.Duration;
import java.util.function.Function;

import dev.idempotency.Effect;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Protects functional routes:
 * {@code route().POST("/orders", handler).filter(idempotency)}. Each {@code with…} method
 * gives a filter for routes that differ from the defaults.
 */
public final class IdempotencyRouteFilter implements HandlerFilterFunction<ServerResponse, ServerResponse> {

	private final @Nullable Protector protector;

	IdempotencyRouteFilter(ProtectedOperations operations, IdempotencyGate gate, ProtectedOperation operation) {
		this(new Protector(operations, gate, operation));
	}

	private IdempotencyRouteFilter(@Nullable Protector protector) {
		this.protector = protector;
	}

	/**
	 * A filter that protects nothing, so that routes need not change when protection is
	 * switched off.
	 * @return the filter
	 */
	public static IdempotencyRouteFilter disabled() {
		return new IdempotencyRouteFilter(null);
	}

	private IdempotencyRouteFilter with(Function<Protector, ProtectedOperation> change) {
		return (this.protector != null) ? new IdempotencyRouteFilter(this.protector.operations(), this.protector.gate(),
				change.apply(this.protector)) : this;
	}

	/**
	 * A filter for routes where a request without a key runs unprotected.
	 * @return the filter
	 */
	public IdempotencyRouteFilter withOptionalKey() {
		return with((it) -> it.operation().withRequired(false));
	}

	/**
	 * A filter for routes whose key comes from elsewhere.
	 * @param expression as in {@link dev.idempotency.Idempotent#key()}
	 * @return the filter
	 */
	public IdempotencyRouteFilter withKey(String expression) {
		return with((it) -> it.operation().withKeySource(it.operations().keySource(expression, "a route")));
	}

	/**
	 * A filter for routes where the key alone tells requests apart, as with
	 * {@link dev.idempotency.Idempotent#fingerprint()}.
	 * @return the filter
	 */
	public IdempotencyRouteFilter withoutFingerprint() {
		return with((it) -> it.operation().withoutFingerprint());
	}

	/**
	 * A filter for routes whose answers are remembered for another time.
	 * @param ttl how long
	 * @return the filter
	 */
	public IdempotencyRouteFilter withTtl(Duration ttl) {
		return with((it) -> it.operation().withPolicy(it.operation().policy().withTtl(ttl)));
	}

	/**
	 * A filter for routes that treat a running twin differently.
	 * @param onConflict what becomes of a request whose twin is still running
	 * @return the filter
	 */
	public IdempotencyRouteFilter withOnConflict(OnConflict onConflict) {
		return with((it) -> it.operation()
			.withPolicy(it.operation().policy().withPatience(it.operations().patience(onConflict))));
	}

	/**
	 * A filter for routes that treat a crash differently.
	 * @param onCrash what becomes of a key whose executor vanished
	 * @return the filter
	 */
	public IdempotencyRouteFilter withOnCrash(OnCrash onCrash) {
		return with((it) -> it.operation().withPolicy(it.operation().policy().withOnCrash(onCrash)));
	}

	/**
	 * A filter for routes that say what they do to the world.
	 * @param effect the effect
	 * @return the filter
	 */
	public IdempotencyRouteFilter withEffect(Effect effect) {
		return with((it) -> it.operation().withEffect(effect));
	}

	/**
	 * A filter for routes that run in the transaction in which their key is completed, as
	 * with {@link dev.idempotency.Idempotent#transactional()}.
	 * @return the filter
	 */
	public IdempotencyRouteFilter withTransaction() {
		return with((it) -> {
			ProtectedOperation transactional = it.operation().inTransaction();
			it.gate().requireTransactions(transactional, "A route");
			return transactional;
		});
	}

	@Override
	public ServerResponse filter(ServerRequest request, HandlerFunction<ServerResponse> next) throws Exception {
		if (this.protector == null || IdempotencyFilter.isSafe(request.servletRequest())) {
			return next.handle(request);
		}
		IdempotencyGate.Pass pass = this.protector.gate()
			.admit(request.servletRequest(), next, this.protector.operation());
		if (pass == null) {
			// The answer is known: whatever is written now is dropped
			return ServerResponse.ok().build();
		}
		try {
			return next.handle(request);
		}
		finally {
			pass.handlerReturned();
		}
	}

	private record Protector(ProtectedOperations operations, IdempotencyGate gate, ProtectedOperation operation) {
	}

}
