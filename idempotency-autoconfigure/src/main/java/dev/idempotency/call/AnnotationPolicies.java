package dev.idempotency.call;

import java.time.Duration;
import java.util.function.UnaryOperator;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.core.OperationPolicy;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;

/**
 * Works out what annotations say about how the engine is to protect their operations.
 *
 * @param defaults how operations are protected that say nothing else
 * @param waitTimeout how long an attempt waits for its twin, where it waits at all
 * @param placeholders resolves placeholders
 */
public record AnnotationPolicies(OperationPolicy defaults, Duration waitTimeout, UnaryOperator<String> placeholders) {

	/**
	 * How an annotated operation is protected.
	 * @param annotation what is said about it
	 * @param operation its name, for people
	 * @return the policy
	 * @throws IdempotencyConfigurationException if the annotation cannot be used
	 */
	public OperationPolicy policyOf(Idempotent annotation, String operation) {
		OperationPolicy policy = this.defaults.withOnCrash(annotation.onCrash())
			.withPatience(patience(annotation.onConflict()));
		return annotation.ttl().isEmpty() ? policy : policy.withTtl(ttl(annotation.ttl(), operation));
	}

	/**
	 * How long an attempt waits for its twin.
	 * @param onConflict what becomes of it
	 * @return for how long; zero: not at all
	 */
	public Duration patience(OnConflict onConflict) {
		return (onConflict == OnConflict.WAIT) ? this.waitTimeout : Duration.ZERO;
	}

	private Duration ttl(String text, String operation) {
		try {
			String resolved = this.placeholders.apply(text);
			Duration ttl = DurationStyle.detectAndParse(StringUtils.trimAllWhitespace(resolved));
			this.defaults.withTtl(ttl);
			return ttl;
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException(
					"The ttl \"%s\" of %s cannot be used: %s".formatted(text, operation, ex.getMessage()),
					"Write a duration such as 24h, 7d or ${orders.ttl:24h}.");
		}
	}

}
