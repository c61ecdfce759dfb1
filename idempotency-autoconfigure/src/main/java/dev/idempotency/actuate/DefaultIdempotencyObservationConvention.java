package dev.idempotency.actuate;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import org.jspecify.annotations.Nullable;

/**
 * The names that are used unless an application has its own.
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
	 * All keys at any time: registries want the same ones of all meters of a name.
	 */
	private static String orNone(@Nullable String value) {
		return (value != null) ? value : "none";
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(IdempotencyObservationContext context) {
		if (context.getOutcome() == null) {
			// Once is enough
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
