package dev.idempotency.autoconfigure;

import java.time.InstantSource;

import dev.idempotency.actuate.IdempotencyTraceSource;
import dev.idempotency.actuate.IdempotencyTracingHandler;
import dev.idempotency.core.TraceSource;
import io.micrometer.tracing.Tracer;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of tracing: a record stores the trace of its claim, and the span of
 * a replay links to it.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration")
@ConditionalOnClass(Tracer.class)
@ConditionalOnSingleCandidate(Tracer.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyTracingAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(TraceSource.class)
	IdempotencyTraceSource idempotencyTraceSource(Tracer tracer) {
		return new IdempotencyTraceSource(tracer);
	}

	/**
	 * Before the handlers for observations of any kind.
	 */
	@Bean
	@Order(0)
	@ConditionalOnMissingBean
	IdempotencyTracingHandler idempotencyTracingHandler(Tracer tracer) {
		return new IdempotencyTracingHandler(tracer, InstantSource.system());
	}

}
