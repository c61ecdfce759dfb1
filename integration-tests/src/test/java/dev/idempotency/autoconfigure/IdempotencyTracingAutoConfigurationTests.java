package dev.idempotency.autoconfigure;

import dev.idempotency.actuate.IdempotencyTraceSource;
import dev.idempotency.actuate.IdempotencyTracingHandler;
import dev.idempotency.core.TraceSource;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyTracingAutoConfigurationTests {

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(IdempotencyTracingAutoConfiguration.class, IdempotencyAutoConfiguration.class))
		.withPropertyValues("idempotency.store=memory");

	private final ApplicationContextRunner runner = this.plain
		.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class,
				MicrometerTracingAutoConfiguration.class, NoopTracerAutoConfiguration.class,
				OpenTelemetrySdkAutoConfiguration.class, OpenTelemetryTracingAutoConfiguration.class));

	@Test
	void knowsTheCurrentSpanWhereThereIsATracer() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(IdempotencyTracingHandler.class);
			TraceSource traces = context.getBean(TraceSource.class);
			assertThat(traces.currentTrace()).isNull();
			Tracer tracer = context.getBean(Tracer.class);
			Span span = tracer.nextSpan().start();
			try (Tracer.SpanInScope scope = tracer.withSpan(span)) {
				assertThat(scope).isNotNull();
				assertThat(traces.currentTrace()).matches("[0-9a-f]{32}-[0-9a-f]{16}")
					.isEqualTo(span.context().traceId() + "-" + span.context().spanId());
			}
			span.end();
		});
	}

	@Test
	void knowsNoTraceOfATracerThatMakesNone() {
		this.plain.withBean(Tracer.class, () -> Tracer.NOOP)
			.run((context) -> assertThat(context.getBean(TraceSource.class).currentTrace()).isNull());
	}

	@Test
	void doesNothingWithoutATracer() {
		this.plain.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(TraceSource.class));
	}

	@Test
	void doesNothingWithoutMicrometerTracing() {
		this.plain.withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyTracingAutoConfiguration.class));
	}

	@Test
	void doesNothingWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(TraceSource.class)
				.doesNotHaveBean(IdempotencyTracingHandler.class));
	}

	@Test
	void backsOffForTheApplicationsOwn() {
		this.runner.withBean("own", TraceSource.class, () -> () -> "mine")
			.run((context) -> assertThat(context).hasSingleBean(TraceSource.class)
				.doesNotHaveBean(IdempotencyTraceSource.class));
	}

}
