package dev.idempotency.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.actuate.DefaultIdempotencyObservationConvention;
import dev.idempotency.actuate.IdempotencyObservationContext;
import dev.idempotency.actuate.IdempotencyObservationConvention;
import dev.idempotency.actuate.IdempotencyObserver;
import dev.idempotency.core.AttemptObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyObservationAutoConfigurationTests {

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(IdempotencyObservationAutoConfiguration.class,
				IdempotencyAutoConfiguration.class))
		.withPropertyValues("idempotency.store=memory");

	private final ApplicationContextRunner runner = this.plain
		.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
		.withBean(Names.class);

	@Test
	void observesOperationsWhereThereIsARegistry() {
		this.runner.run((context) -> {
			context.getBean(Idempotency.class).execute(IdempotencyKey.of("pay", "1"), String.class, () -> "paid");
			assertThat(context.getBean(Names.class).names).containsExactly("idempotency.operation");
		});
	}

	@Test
	void takesTheNamesOfTheApplication() {
		this.runner.withBean(IdempotencyObservationConvention.class, OwnNames::new).run((context) -> {
			context.getBean(Idempotency.class).execute(IdempotencyKey.of("pay", "1"), String.class, () -> "paid");
			assertThat(context.getBean(Names.class).names).containsExactly("payments");
		});
	}

	@Test
	void observesNothingThatIsSwitchedOff() {
		this.runner.withPropertyValues("management.observations.enable.idempotency=false").run((context) -> {
			context.getBean(Idempotency.class).execute(IdempotencyKey.of("pay", "1"), String.class, () -> "paid");
			assertThat(context.getBean(Names.class).names).isEmpty();
		});
	}

	@Test
	void doesNothingWithoutARegistry() {
		this.plain.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(AttemptObserver.class));
	}

	@Test
	void doesNothingWithoutMicrometer() {
		this.plain.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyObservationAutoConfiguration.class));
	}

	@Test
	void doesNothingWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(AttemptObserver.class));
	}

	@Test
	void backsOffForTheApplicationsOwn() {
		this.runner.withBean("own", AttemptObserver.class, () -> (key) -> null)
			.run((context) -> assertThat(context).hasSingleBean(AttemptObserver.class)
				.doesNotHaveBean(IdempotencyObserver.class));
	}

	/**
	 * Remembers the names of what was observed.
	 */
	static final class Names implements ObservationHandler<IdempotencyObservationContext> {

		private final List<String> names = new ArrayList<>();

		@Override
		public void onStop(IdempotencyObservationContext context) {
			this.names.add(String.valueOf(context.getName()));
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof IdempotencyObservationContext;
		}

	}

	private static final class OwnNames extends DefaultIdempotencyObservationConvention {

		@Override
		public String getName() {
			return "payments";
		}

	}

}
