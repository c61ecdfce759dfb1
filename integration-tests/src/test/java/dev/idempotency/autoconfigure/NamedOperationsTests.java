package dev.idempotency.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.Outcome;
import dev.idempotency.ReplayLimitException;
import dev.idempotency.ai.IdempotentTools;
import dev.idempotency.ai.ToolLoopException;
import dev.idempotency.ai.ToolOptions;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.method.IdempotencyMethods;
import dev.idempotency.web.IdempotencyRouteFilter;
import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Settings of single operations, by names of all kinds.
 */
@ExtendWith(OutputCaptureExtension.class)
class NamedOperationsTests {

	private static final String CHARGE = Payments.class.getName() + ".charge(java.lang.String)";

	private static final String OPERATION = "idempotency.operations.";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, IdempotencyAutoConfiguration.class,
				IdempotencyMethodAutoConfiguration.class, IdempotencyToolsAutoConfiguration.class))
		.withPropertyValues("idempotency.store=memory");

	@Test
	void aMethodIsKnownByItsName() {
		this.runner.withBean(Payments.class)
			.withPropertyValues(OPERATION + "[" + CHARGE + "].max-replays=1", OPERATION + "[" + CHARGE + "].lease=2m",
					OPERATION + "[" + CHARGE + "].wait-timeout=1s")
			.run((context) -> {
				Payments payments = context.getBean(Payments.class);
				assertThat(payments.charge("1")).isEqualTo(payments.charge("1"));
				assertThatExceptionOfType(ReplayLimitException.class).isThrownBy(() -> payments.charge("1"));
				assertThat(policies(context.getBean(IdempotencyMethods.class)))
					.containsExactly(OperationPolicy.of(Duration.ofHours(24), Duration.ofMinutes(2))
						.withPatience(Duration.ofSeconds(1))
						.withMaxReplays(1));
			});
	}

	@Test
	void anAnnotatedMethodSaysTheSame() {
		this.runner.withBean(Refunds.class).withPropertyValues("refunds.replays=7").run((context) -> {
			assertThat(context.getBean(Refunds.class).refund("1")).isEqualTo("1");
			assertThat(policies(context.getBean(IdempotencyMethods.class)))
				.containsExactly(OperationPolicy.of(Duration.ofHours(24), Duration.ofMinutes(3))
					.withPatience(Duration.ofSeconds(5))
					.withMaxReplays(7));
		});
	}

	private static List<OperationPolicy> policies(IdempotencyMethods methods) {
		return methods.operations()
			.stream()
			.map(KnownOperation::protection)
			.map((protection) -> (protection != null) ? protection.policy() : null)
			.toList();
	}

	@Test
	void whatIsCalledByHandIsKnownByItsName() {
		this.runner.withPropertyValues(OPERATION + "refund.max-replays=1").run((context) -> {
			Idempotency idempotency = context.getBean(Idempotency.class);
			idempotency.execute(IdempotencyKey.of("refund", "1"), String.class, () -> "done");
			idempotency.execute(IdempotencyKey.of("refund", "1"), String.class, () -> "again");
			assertThat(idempotency.attempt(IdempotencyKey.of("refund", "1"), String.class, () -> "and again"))
				.isInstanceOf(Outcome.ReplayLimit.class);
			for (int i = 0; i < 3; i++) {
				assertThat(idempotency.execute(IdempotencyKey.of("other", "1"), String.class, () -> "done"))
					.isEqualTo("done");
			}
		});
	}

	@Test
	void whatIsCalledByHandIsKnownToEnvironmentVariables() {
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment",
						Map.of("IDEMPOTENCY_OPERATIONS_REFUND_MAX_REPLAYS", "3",
								"IDEMPOTENCY_OPERATIONS_REFUND_WAITTIMEOUT", "7s"))))
			.run((context) -> assertThat(context.getBean(IdempotencyProperties.class).operations())
				.containsOnlyKeys("refund"));
	}

	@Test
	void aToolIsKnownByItsName() {
		this.runner.withPropertyValues(OPERATION + "[tool refund].max-replays=1").run((context) -> {
			ToolCallback tool = context.getBean(IdempotentTools.class)
				.wrap(FunctionToolCallback.builder("refund", () -> "done").build(), ToolOptions.defaults());
			ToolContext session = new ToolContext(Map.of("sessionId", "1"));
			tool.call("{}", session);
			tool.call("{}", session);
			assertThatThrownBy(() -> tool.call("{}", session)).hasCauseInstanceOf(ToolLoopException.class);
		});
	}

	@Test
	void saysWhichSettingsDoNothing(CapturedOutput output) {
		try (TestServer server = TestServer.start(List.of(Shop.class, Handlers.class, Payments.class),
				OPERATION + "[POST /orders].lease=1m", OPERATION + "[" + CHARGE + "].lease=1m",
				OPERATION + "[POST /a/b/c].lease=1m", OPERATION + "[PUT /a/b/d].lease=1m",
				OPERATION + "[DELETE /any].lease=1m", OPERATION + "[POST /order].lease=1m",
				OPERATION + "POSTorders.lease=1m", OPERATION + "[POST /open].lease=1m",
				OPERATION + "[dev.Gone.charge()].lease=1m", OPERATION + "refund.lease=1m")) {
			assertThat(server.bean(Payments.class)).isNotNull();
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("] does nothing: ")))
			.map((line) -> line.substring(line.indexOf("idempotency.operations")).replaceAll(", but .*", ""))
			.containsExactlyInAnyOrder(
					"idempotency.operations.[POST /order] does nothing: this application has no operation of that name",
					"idempotency.operations.[POSTorders] does nothing: this application has no operation of that name",
					"idempotency.operations.[dev.Gone.charge()] does nothing: this application has no operation of that name",
					"idempotency.operations.[POST /open] does nothing: that operation is not protected");
		assertThat(output).contains("idempotency.operations.[refund] waits for an operation of that name")
			.contains("but DELETE /any, PATCH /any, POST /a/b/c, ");
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

		@Bean
		RouterFunction<ServerResponse> routes(IdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.path("/a",
						(a) -> a.path("/b",
								(b) -> b.POST("/c", (request) -> ServerResponse.ok().build())
									.PUT("/d", RequestPredicates.contentType(MediaType.TEXT_PLAIN),
											(request) -> ServerResponse.ok().build())))
				.route(RequestPredicates.path("/any"), (request) -> ServerResponse.ok().build())
				.filter(idempotency)
				.build();
		}

	}

	@RestController
	static class Handlers {

		@PostMapping("/orders")
		@Idempotent
		void order() {
		}

		@PostMapping("/open")
		void open() {
		}

	}

	@Service
	static class Payments {

		private int charges;

		@Idempotent(key = "#id")
		public int charge(String id) {
			return ++this.charges;
		}

	}

	@Service
	static class Refunds {

		@Idempotent(key = "#id", lease = "3m", waitTimeout = "5s", maxReplays = "${refunds.replays}")
		public String refund(String id) {
			return id;
		}

	}

}
