package dev.idempotency.actuate;

import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.core.BodyLimits;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.KnownOperation.Coverage;
import dev.idempotency.core.KnownOperation.Protection;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.OperationsReport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The operations of the application, and what protects each.
 *
 * @param score the share of handlers that are protected, of those that should be, from 0
 * to 1
 * @param counts the number of operations by coverage
 * @param operations the operations, unprotected ones first
 */
record OperationsView(double score, Map<Coverage, Long> counts,
		List<OperationView> operations) implements OperationResponseBody {

	static OperationsView of(OperationsReport report) {
		Map<Coverage, Long> counts = new EnumMap<>(Coverage.class);
		for (Coverage coverage : Coverage.values()) {
			counts.put(coverage,
					report.operations().stream().filter((operation) -> operation.coverage() == coverage).count());
		}
		return new OperationsView(report.score(), counts,
				report.operations()
					.stream()
					.sorted(Comparator.comparing(KnownOperation::coverage).reversed())
					.map(OperationView::of)
					.toList());
	}

	/**
	 * An operation.
	 *
	 * @param name the name under which its keys are stored
	 * @param kind how it is called
	 * @param handler the method that handles it
	 * @param coverage whether it is protected
	 * @param protection how it is protected, if it is
	 */
	public record OperationView(String name, KnownOperation.Kind kind, String handler, Coverage coverage,
			@Nullable ProtectionView protection) {

		private static OperationView of(KnownOperation operation) {
			Protection protection = operation.protection();
			return new OperationView(operation.name(), operation.kind(), operation.handler(), operation.coverage(),
					(protection != null) ? ProtectionView.of(protection) : null);
		}

	}

	/**
	 * How an operation is protected.
	 *
	 * @param keySource where its key comes from
	 * @param keyRequired whether attempts without a key are refused
	 * @param ttl how long its result is remembered
	 * @param lease the lease of its claims
	 * @param onConflict what happens to a retry while it is in progress
	 * @param waitTimeout how long a retry waits while it is in progress
	 * @param onCrash what happens to a retry after a crash
	 * @param maxReplays how often its result is replayed; 0 without a limit
	 * @param transactional whether its key is completed in the transaction of its work
	 * @param maxRequestBody the largest request body in bytes, for HTTP operations
	 * @param maxResponseBody the largest response body that is stored, in bytes, for HTTP
	 * operations
	 */
	public record ProtectionView(String keySource, boolean keyRequired, Duration ttl, Duration lease,
			OnConflict onConflict, Duration waitTimeout, OnCrash onCrash, int maxReplays, boolean transactional,
			@Nullable Integer maxRequestBody, @Nullable Integer maxResponseBody) {

		private static ProtectionView of(Protection protection) {
			OperationPolicy policy = protection.policy();
			BodyLimits limits = protection.limits();
			return new ProtectionView(protection.keySource(), protection.keyRequired(), policy.ttl(), policy.lease(),
					policy.patience().isZero() ? OnConflict.REJECT : OnConflict.WAIT, policy.patience(),
					policy.onCrash(), policy.maxReplays(), protection.transactional(),
					(limits != null) ? limits.request() : null, (limits != null) ? limits.response() : null);
		}

	}

}
