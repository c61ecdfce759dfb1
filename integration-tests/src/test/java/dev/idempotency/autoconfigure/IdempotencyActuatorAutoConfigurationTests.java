package dev.idempotency.autoconfigure;

import dev.idempotency.actuate.IdempotencyConsoleEndpoint;
import dev.idempotency.actuate.IdempotencyEndpoint;
import dev.idempotency.actuate.IdempotencyHealthIndicator;
import dev.idempotency.actuate.IdempotencyInfoContributor;
import dev.idempotency.actuate.RecentAttempts;
import dev.idempotency.core.IdempotencyEngine;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyActuatorAutoConfigurationTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class, IdempotencyAutoConfiguration.class,
				IdempotencyActuatorAutoConfiguration.class, IdempotencyHealthAutoConfiguration.class))
		.withPropertyValues("idempotency.store=memory");

	private final WebApplicationContextRunner exposed = this.runner
		.withPropertyValues("management.endpoints.web.exposure.include=idempotency,idempotencyconsole");

	@Test
	void showsWhatIsExposed() {
		this.exposed.run((context) -> assertThat(context).hasSingleBean(IdempotencyEndpoint.class)
			.hasSingleBean(IdempotencyConsoleEndpoint.class)
			.hasSingleBean(RecentAttempts.class)
			.hasSingleBean(IdempotencyInfoContributor.class)
			.hasSingleBean(IdempotencyHealthIndicator.class));
	}

	@Test
	void costsNothingWhereNothingIsExposed() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(IdempotencyEngine.class)
			.doesNotHaveBean(IdempotencyEndpoint.class)
			.doesNotHaveBean(IdempotencyConsoleEndpoint.class)
			.doesNotHaveBean(RecentAttempts.class));
	}

	@Test
	void livesWithoutActuator() {
		this.exposed
			.withClassLoader(
					new FilteredClassLoader(WebEndpoint.class.getPackageName(), HealthIndicator.class.getPackageName()))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotencyEngine.class)
				.doesNotHaveBean("idempotencyEndpoint")
				.doesNotHaveBean("idempotencyHealthIndicator"));
	}

	@Test
	void isNotThereWhenProtectionIsSwitchedOff() {
		this.exposed.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(IdempotencyEndpoint.class)
				.doesNotHaveBean(IdempotencyHealthIndicator.class));
	}

	@Test
	void isSwitchedOffPieceByPiece() {
		this.exposed
			.withPropertyValues("management.health.idempotency.enabled=false",
					"management.info.idempotency.enabled=false", "management.endpoint.idempotencyconsole.access=NONE")
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyEndpoint.class)
				.doesNotHaveBean(IdempotencyConsoleEndpoint.class)
				.doesNotHaveBean(IdempotencyInfoContributor.class)
				.doesNotHaveBean(IdempotencyHealthIndicator.class));
	}

	@Test
	void makesWayForAnApplicationsOwn() {
		this.exposed.withBean("idempotencyHealthIndicator", HealthIndicator.class, () -> () -> Health.down().build())
			.run((context) -> assertThat(context).doesNotHaveBean(IdempotencyHealthIndicator.class));
	}

	@Test
	void saysWhatIsWrongWithASetting() {
		this.exposed.withPropertyValues("management.endpoint.idempotency.show-values=sometimes")
			.run((context) -> assertThat(context).hasFailed());
	}

}
