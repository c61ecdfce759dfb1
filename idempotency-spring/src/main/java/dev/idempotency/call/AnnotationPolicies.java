package dev.idempotency.call;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.OperationSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

/**
 * Turns {@link Idempotent} annotations into policies for the engine.
 *
 * @param defaults the policy of operations that set nothing else
 * @param waitTimeout how long an attempt waits for a concurrent one, if it waits at all
 * @param placeholders resolves placeholders
 * @param named the settings of named operations, which override annotations
 */
public record AnnotationPolicies(OperationPolicy defaults, Duration waitTimeout, UnaryOperator<String> placeholders,
		NamedOperations named) {

	private static final String DURATION = "Write a duration such as 24h, 7d or ${orders.ttl:24h}.";

	private static final String SIZE = "Write a size such as 512KB, 1MB or ${orders.size:1MB}.";

	private static final String NUMBER = "Write a whole number such as 5, 0 for no limit, or ${orders.replays:5}.";

	/**
	 * The policy of an annotated operation, without the settings for its name.
	 * @param operation its name, for messages
	 * @throws IdempotencyConfigurationException if the annotation cannot be used
	 */
	public OperationPolicy policyOf(Idempotent annotation, String operation) {
		OperationPolicy policy = this.defaults.withOnCrash(annotation.onCrash())
			.withPatience(patience(annotation.onConflict()))
			.withUnknownOutcomes(this.defaults.unknownOutcomes()
				.and(Arrays.stream(annotation.unknownOn()).map(Class::getName).toList()));
		return settingsOf(annotation, operation).over(policy, operation);
	}

	/**
	 * The settings in an annotation that differ from the defaults.
	 * @param operation the name of its operation, for messages
	 * @throws IdempotencyConfigurationException if the annotation cannot be used
	 */
	public OperationSettings settingsOf(Idempotent annotation, String operation) {
		Duration ttl = read("ttl", annotation.ttl(), operation, AnnotationPolicies::duration, DURATION);
		Duration lease = read("lease", annotation.lease(), operation, AnnotationPolicies::duration, DURATION);
		Duration wait = read("waitTimeout", annotation.waitTimeout(), operation, AnnotationPolicies::duration,
				DURATION);
		Integer replays = read("maxReplays", annotation.maxReplays(), operation, Integer::valueOf, NUMBER);
		Long request = read("maxRequestBody", annotation.maxRequestBody(), operation, AnnotationPolicies::bytes, SIZE);
		Long response = read("maxResponseBody", annotation.maxResponseBody(), operation, AnnotationPolicies::bytes,
				SIZE);
		try {
			return new OperationSettings(ttl, lease, wait, replays, request, response,
					(annotation.fingerprintExcludes().length > 0) ? List.of(annotation.fingerprintExcludes()) : null,
					annotation.storeEvents() ? true : null);
		}
		catch (IdempotencyConfigurationException ex) {
			throw new IdempotencyConfigurationException(
					"The @Idempotent annotation of %s cannot be used: %s".formatted(operation, ex.problem()),
					ex.remedy().toString());
		}
	}

	/**
	 * The policy of an annotated method, with the settings for its name.
	 * @param operation its name
	 * @throws IdempotencyConfigurationException if the annotation or the settings cannot
	 * be used
	 */
	public OperationPolicy namedPolicyOf(Idempotent annotation, String operation) {
		return this.named.policyOf(operation, policyOf(annotation, operation));
	}

	/**
	 * How long an attempt waits for a concurrent one.
	 * @param onConflict whether it waits
	 * @return the longest wait; zero: not at all
	 */
	public Duration patience(OnConflict onConflict) {
		return (onConflict == OnConflict.WAIT) ? this.waitTimeout : Duration.ZERO;
	}

	private <T> @Nullable T read(String attribute, String text, String operation, Function<String, T> reader,
			String action) {
		if (text.isEmpty()) {
			return null;
		}
		try {
			return reader.apply(StringUtils.trimAllWhitespace(this.placeholders.apply(text)));
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException(
					"The %s \"%s\" of %s cannot be used: %s".formatted(attribute, text, operation, ex.getMessage()),
					action);
		}
	}

	private static Duration duration(String text) {
		return DurationFormatterUtils.detectAndParse(text);
	}

	private static Long bytes(String text) {
		return DataSize.parse(text).toBytes();
	}

}
