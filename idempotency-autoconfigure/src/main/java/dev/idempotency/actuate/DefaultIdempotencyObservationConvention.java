package dev.idempotency.actuate;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import org.jspecify.annotations.Nullable;

/**
 * The default names of the observation of a protected operation.
 */
public class DefaultIdempotencyObservationConvention implements IdempotencyObservationConvention {

	@Override
	public String getName() {
		return "idempotency.operation";
	}

	@Override
	public String getContextualName(IdempotencyObservationContext context) {
		return "idempotency " + context.getOperation();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(IdempotencyObservationContext context) {
		return KeyValues.of(KeyValue.of("operation", context.getOperation()),
				KeyValue.of("outcome", orNone(context.getOutcome())),
				KeyValue.of("enforced", String.valueOf(context.isEnforced())),
				KeyValue.of("completion", orNone(context.getCompletion())));
	}

	/**
	 * Always gives a value: registries require the same tag keys on all meters of a name.
	 */
	private static String orNone(@Nullable String value) {
		return (value != null) ? value : "none";
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(IdempotencyObservationContext context) {
		if (context.getOutcome() == null) {
			// Called at the start, too: they are added once, when the outcome is known
			return KeyValues.empty();
		}
		KeyValues values = KeyValues.of("idempotency.key", context.getKeyHash());
		if (context.getAttempt() != null) {
			values = values.and("idempotency.attempt", String.valueOf(context.getAttempt()));
		}
		String firstTrace = context.getFirstTraceId();
		return (firstTrace != null) ? values.and("idempotency.first.trace", firstTrace) : values;
	}

}
