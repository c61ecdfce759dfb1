package dev.idempotency.web;

import java.util.List;
import java.util.Optional;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers of WebFlux that use their context run as if they were protected where they are
 * not: where protection is switched off, where nothing is enforced, and where no key is
 * required and none was sent.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveSwitchedOffTests {

	@Nested
	class Off extends Contract {

		Off() {
			super("/used", "idempotency.enabled=false");
		}

		@ParameterizedTest
		@ValueSource(strings = { "argument", "deep", "task", "route", "header" })
		void tellsTheKeyThatTheRequestHas(String path) {
			String key = TestServer.newKey();
			Answer answer = this.server.post("/used/" + path).key(key).header("X-Order", key).send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(200);
			assertThat(answer.text()).isEqualTo(key);
		}

		@ParameterizedTest
		@ValueSource(strings = { "from-body", "derived" })
		void makesAKeyUpWhereItWouldHaveToReadTheBody(String path) {
			Answer answer = this.server.post("/used/" + path).json("{\"id\":7}").send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(200);
			assertThat(answer.text()).isNotBlank();
		}

		@ParameterizedTest
		@ValueSource(strings = { "argument", "route" })
		void refusesADryRun(String path) {
			Answer refused = this.server.post("/used/" + path).key(TestServer.newKey()).dryRun().send();
			assertThat(refused.status()).as("%s", refused).isEqualTo(501);
			assertThat(refused.text()).contains("\"type\":\"urn:idempotency:dry-run-unsupported\"");
		}

	}

	@Nested
	class Observed extends Contract {

		Observed() {
			super("/used", "idempotency.mode=observe");
		}

	}

	@Nested
	class Optionally extends Contract {

		Optionally() {
			super("/optional", "idempotency.mode=enforce");
		}

	}

	@Test
	void saysOnceAtStartUpThatNothingIsProtected(CapturedOutput output) {
		try (TestServer server = Reactive.start(List.of(WebTestApplication.class), "idempotency.enabled=false")) {
			assertThat(server.port()).isPositive();
		}
		assertThat(output.toString()).containsOnlyOnce("idempotency.enabled is false");
	}

	@ParameterizedTest
	@ValueSource(strings = { "argument", "route" })
	void runsWhereTheCallerCannotBeTold(String path) {
		try (TestServer server = Reactive.start(
				List.of(WebTestApplication.class, Used.class, Routes.class, FailingCaller.class),
				"idempotency.enabled=false")) {
			Answer answer = server.post("/used/" + path).key(TestServer.newKey()).send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		}
	}

	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	abstract static class Contract {

		private final String base;

		private final String property;

		@AutoClose
		TestServer server;

		Contract(String base, String property) {
			this.base = base;
			this.property = property;
		}

		@BeforeAll
		void start() {
			this.server = Reactive.start(
					List.of(WebTestApplication.class, Used.class, OptionallyUsed.class, Routes.class), this.property);
		}

		static List<String> paths() {
			return List.of("argument", "deep", "task", "steps", "route");
		}

		@ParameterizedTest
		@MethodSource("paths")
		void runsEachTimeWithAContext(String path) {
			this.server.executions().clear();
			for (int i = 1; i <= 2; i++) {
				Answer answer = this.server.post(this.base + "/" + path).send();
				assertThat(answer.status()).as("%s", answer).isEqualTo(200);
				assertThat(answer.text()).isNotBlank();
				assertThat(answer.isReplay()).isFalse();
				assertThat(this.server.executions().of("used")).isEqualTo(i);
			}
		}

		@Test
		void tellsAHandlerThatAsksWhetherItIsProtected() {
			assertThat(this.server.post(this.base + "/optional").send().text()).isEqualTo("false");
		}

	}

	private static String use(Executions executions, IdempotencyContext context) {
		executions.next("used");
		context.effect(Effect.CREATED);
		context.doNotStore();
		assertThat(context.attempt()).isEqualTo(1);
		assertThat(context.mayHaveRun()).isFalse();
		assertThat(context.key().hash()).isNotBlank();
		return context.key().value();
	}

	@RestController
	@RequestMapping("/used")
	@Idempotent
	static class Used extends Handlers {

		Used(Executions executions) {
			super(executions);
		}

		@PostMapping("/header")
		@Idempotent(key = "header('X-Order')")
		Mono<String> header(IdempotencyContext context) {
			return Mono.just(context.key().value());
		}

		@PostMapping("/from-body")
		@Idempotent(key = "body('/id')")
		Mono<String> fromBody(IdempotencyContext context) {
			return Mono.just(context.key().value());
		}

		@PostMapping("/derived")
		@Idempotent(key = "derived()")
		Mono<String> derived(IdempotencyContext context) {
			return Mono.just(context.key().value());
		}

	}

	@RestController
	@RequestMapping("/optional")
	@Idempotent(required = false)
	static class OptionallyUsed extends Handlers {

		OptionallyUsed(Executions executions) {
			super(executions);
		}

	}

	abstract static class Handlers {

		private final Executions executions;

		Handlers(Executions executions) {
			this.executions = executions;
		}

		@PostMapping("/argument")
		Mono<String> argument(IdempotencyContext context) {
			return Mono.fromCallable(() -> use(this.executions, context));
		}

		@PostMapping("/deep")
		Mono<String> deep() {
			return ReactiveIdempotencyContext.current().map((context) -> use(this.executions, context));
		}

		@PostMapping("/task")
		Mono<String> task() {
			return deep().subscribeOn(Schedulers.boundedElastic());
		}

		@PostMapping("/steps")
		Mono<String> steps() {
			return ReactiveIdempotencyContext.steps().run("one", String.class, deep());
		}

		@PostMapping("/optional")
		Mono<String> optional(Optional<IdempotencyContext> context) {
			return Mono.just(String.valueOf(context.isPresent()));
		}

	}

	/**
	 * As if the sessions that know callers could not be read.
	 */
	static class FailingCaller {

		@Bean
		WebFilter callers() {
			return (exchange,
					chain) -> chain.filter(exchange.mutate()
						.principal(Mono.error(() -> new IllegalStateException("no connection to the sessions")))
						.build());
		}

	}

	static class Routes {

		@Bean
		RouterFunction<ServerResponse> used(ReactiveIdempotencyRouteFilter idempotency, Executions executions) {
			return RouterFunctions.route()
				.POST("/used/route", (request) -> answer(executions))
				.filter(idempotency)
				.build();
		}

		@Bean
		RouterFunction<ServerResponse> optionallyUsed(ReactiveIdempotencyRouteFilter idempotency,
				Executions executions) {
			return RouterFunctions.route()
				.POST("/optional/route", (request) -> answer(executions))
				.filter(idempotency.withOptionalKey())
				.build();
		}

		private static Mono<ServerResponse> answer(Executions executions) {
			return ReactiveIdempotencyContext.current()
				.flatMap((context) -> ServerResponse.ok().bodyValue(use(executions, context)));
		}

	}

}
