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
 * @param counts how many there are of each coverage
 * @param operations the operations, unprotected ones first
 */
public record OperationsView(double score, Map<Coverage, Long> counts,
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
	 * @param name what its keys are remembered under
	 * @param kind how it is called
	 * @param handler the code that does it
	 * @param coverage whether it is protected
	 * @param protection how, if it is
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
	 * @param keyRequired whether it is refused without a key
	 * @param ttl how long its result is remembered
	 * @param lease how long a claim of it holds
	 * @param onConflict what becomes of a retry while it runs
	 * @param waitTimeout how long a retry waits while it runs
	 * @param onCrash what becomes of a retry after its executor vanished
	 * @param maxReplays how often its result is given out again; 0 without a limit
	 * @param transactional whether its key is completed in its own transaction
	 * @param maxRequestBody the largest body of its requests in bytes, if it has requests
	 * @param maxResponseBody the largest body of its answers that is stored in bytes, if
	 * it has requests
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
