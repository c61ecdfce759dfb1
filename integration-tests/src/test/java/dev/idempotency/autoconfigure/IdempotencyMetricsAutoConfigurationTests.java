package dev.idempotency.autoconfigure;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.actuate.IdempotencyEngineMeters;
import dev.idempotency.actuate.IdempotencyMeters;
import dev.idempotency.actuate.IdempotencyStoreMeters;
import dev.idempotency.core.StoreTimer;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.memory.EvictionListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class IdempotencyMetricsAutoConfigurationTests {

	private static final AutoConfigurations OURS = AutoConfigurations.of(IdempotencyMetricsAutoConfiguration.class,
			IdempotencyAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class,
			IdempotencyMethodAutoConfiguration.class);

	private final ApplicationContextRunner plain = new ApplicationContextRunner().withConfiguration(OURS)
		.withPropertyValues("idempotency.store=memory", "idempotency.memory.max-entries=1");

	private final ApplicationContextRunner runner = this.plain.withConfiguration(
			AutoConfigurations.of(MetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
					PrometheusMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

	@Test
	void metersTheEngineWhereThereIsARegistry(CapturedOutput output) {
		this.runner.withBean(Payments.class).run((context) -> {
			context.getBean(Payments.class).pay("1");
			context.getBean(Payments.class).pay("1");
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get("idempotency.attempts").tag("outcome", "replayed").counter().count()).isOne();
			assertThat(registry.get("idempotency.store").tags("verb", "claim", "outcome", "success").timer().count())
				.isEqualTo(2);
			assertThat(registry.get("idempotency.in.progress").gauge().value()).isZero();
			assertThat(registry.get("idempotency.memory.evictions").counter().count()).isZero();
			assertThat(output).doesNotContain("is not eligible for getting processed by all BeanPostProcessors");
		});
	}

	@Test
	void countsResultsThatAreForgottenBeforeTheirTime() {
		this.runner.run((context) -> {
			Idempotency idempotency = context.getBean(Idempotency.class);
			for (int i = 0; i < 3; i++) {
				idempotency.execute(IdempotencyKey.of("pay", "key " + i), String.class, () -> "paid");
			}
			assertThat(context.getBean(MeterRegistry.class).get("idempotency.memory.evictions").counter().count())
				.isPositive();
		});
	}

	@Test
	void doesNothingWithoutARegistry() {
		this.plain.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(IdempotencyMeters.class)
			.doesNotHaveBean(StoreTimer.class)
			.doesNotHaveBean(EvictionListener.class));
	}

	@Test
	void doesNothingWithoutMicrometer() {
		this.plain.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyMetricsAutoConfiguration.class));
	}

	@Test
	void doesNothingWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyMeters.class)
				.doesNotHaveBean(IdempotencyEngineMeters.class));
	}

	@Test
	void backsOffForTheApplicationsOwn() {
		this.runner.withBean("own", IdempotencyMeters.class, () -> new IdempotencyMeters(new SimpleMeterRegistry(), 10))
			.withBean("timer", StoreTimer.class, NoTimer::new)
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyMeters.class)
				.hasBean("own")
				.hasSingleBean(StoreTimer.class)
				.doesNotHaveBean(IdempotencyStoreMeters.class));
	}

	static class Payments {

		@Idempotent(key = "#id")
		public String pay(String id) {
			return "paid " + id;
		}

	}

	private static final class NoTimer implements StoreTimer {

		@Override
		public long nanoTime() {
			return 0;
		}

		@Override
		public void asked(StoreVerb verb, long nanos, boolean failed) {
			// Nobody wants to know
		}

	}

}
