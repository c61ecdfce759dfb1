package dev.idempotency.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An order after a name that does not exist is silently no order.
 */
class AutoConfigurationOrderTests {

	static List<Class<?>> ours() {
		return ImportCandidates.load(AutoConfiguration.class, AutoConfigurationOrderTests.class.getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("dev.idempotency."))
			.<Class<?>>map((name) -> ClassUtils.resolveClassName(name, null))
			.toList();
	}

	@ParameterizedTest
	@MethodSource("ours")
	void isOrderedAfterWhatExists(Class<?> configuration) {
		AutoConfiguration order = configuration.getAnnotation(AutoConfiguration.class);
		assertThat(Stream.concat(Arrays.stream(order.afterName()), Arrays.stream(order.beforeName())))
			.allMatch((name) -> ClassUtils.isPresent(name, null));
	}

	@Test
	void findsAllOfThem() {
		assertThat(ours()).contains(IdempotencyAutoConfiguration.class, IdempotencyMetricsAutoConfiguration.class,
				IdempotencyTracingAutoConfiguration.class);
	}

}
