package dev.idempotency.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * Names the property that is wrong, and what to write instead. Spring Boot's own
 * analyzers do not know valid values.
 */
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class IdempotencyFailureAnalyzer implements FailureAnalyzer {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("idempotency");

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			FailureAnalysis analysis = (cause instanceof BindException unbound) ? unconvertible(unbound)
					: (cause instanceof IdempotencyConfigurationException wrong) ? unusable(wrong) : null;
			if (analysis != null) {
				return analysis;
			}
		}
		return null;
	}

	private static FailureAnalysis unusable(IdempotencyConfigurationException wrong) {
		String problem = wrong.problem();
		// A list ends without a full stop
		return new FailureAnalysis(problem.contains(System.lineSeparator()) ? problem : problem + ".", wrong.remedy(),
				wrong);
	}

	private static @Nullable FailureAnalysis unconvertible(BindException unbound) {
		if (unbound.getTarget().getType().resolve() == OperationProperties.class) {
			return new FailureAnalysis("%s is not a setting of an operation.".formatted(unbound.getName()),
					OperationProperties.HOW_TO_WRITE, unbound);
		}
		ConfigurationProperty property = unbound.getProperty();
		if (property == null || !PREFIX.isAncestorOf(property.getName())) {
			return null;
		}
		Class<?> type = unbound.getTarget().getType().resolve(Object.class);
		String action = whatToWrite(type);
		if (action == null) {
			return null;
		}
		String origin = (property.getOrigin() != null) ? " (%s)".formatted(property.getOrigin()) : "";
		return new FailureAnalysis("%s is \"%s\"%s, which cannot be understood.".formatted(property.getName(),
				property.getValue(), origin), action, unbound);
	}

	/**
	 * What to write for a type whose values are no secrets.
	 */
	private static @Nullable String whatToWrite(Class<?> type) {
		if (type.isEnum()) {
			return Arrays.stream(type.getEnumConstants())
				.map((constant) -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
				.collect(Collectors.joining(", ", "Write one of ", "."));
		}
		if (type == Duration.class) {
			return "Write a duration such as 30s, 10m, 24h or 7d.";
		}
		if (type == DataSize.class) {
			return "Write a size such as 512KB or 1MB.";
		}
		if (type == URI.class) {
			return "Write a URI such as https://example.org/keys.";
		}
		Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
		if (boxed == Boolean.class) {
			return "Write true or false.";
		}
		return (boxed == Integer.class || boxed == Long.class) ? "Write a whole number." : null;
	}

}
