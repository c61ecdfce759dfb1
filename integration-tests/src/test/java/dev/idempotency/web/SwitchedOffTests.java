package dev.idempotency.web;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.Effect;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencySession;
import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is not protected runs each time, and finds all that it finds when it is protected:
 * where protection is switched off, where nothing is enforced, and where no key is
 * required and none was sent.
 */
@ExtendWith(OutputCaptureExtension.class)
class SwitchedOffTests {

	@Nested
	class Off extends Contract {

		Off() {
			super("/used", "idempotency.enabled=false");
		}

		@ParameterizedTest
		@ValueSource(strings = { "argument", "deep", "task", "method", "by-hand", "route", "header" })
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

	}

	@Nested
	class OffWhereUnsafeMethodsAreProtected {

		@Test
		void refusesADryRunOfWhatWouldBeProtected() {
			try (TestServer server = TestServer.start(List.of(WebTestApplication.class), "idempotency.enabled=false",
					"idempotency.http.protect=unsafe-methods",
					"idempotency.http.problem-base=https://problems.example/")) {
				Answer refused = server.post("/plain/entity").dryRun().send();
				assertThat(refused.status()).as("%s", refused).isEqualTo(501);
				assertThat(refused.text()).contains("\"type\":\"https://problems.example/dry-run-unsupported\"");
				assertThat(server.post("/plain/entity").send().status()).isLessThan(300);
			}
		}

		@Test
		void leavesWhatIsSafeAlone() {
			try (TestServer server = TestServer.start(List.of(WebTestApplication.class, HttpSettingsTests.Safe.class),
					"idempotency.enabled=false")) {
				for (String path : List.of("/safe", "/any")) {
					Answer answer = server.call("GET", path).dryRun().send();
					assertThat(answer.status()).as("%s", answer).isEqualTo(200);
				}
			}
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

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void runsWhatHasALongLease(boolean enabled) {
		try (TestServer server = TestServer.start(List.of(WebTestApplication.class, LongLease.class),
				"idempotency.enabled=" + enabled)) {
			Answer answer = server.post("/long-lease").key(TestServer.newKey()).send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		}
	}

	@Test
	void callsAMethodWhoseKeyFails() {
		try (TestServer server = TestServer.start(List.of(WebTestApplication.class, FailingKey.class),
				"idempotency.enabled=false")) {
			assertThat(server.bean(FailingKey.class).pay(new Order())).isEqualTo("paid");
		}
	}

	/**
	 * Each bean must be only what its method says it is.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void startsAnApplicationWithABeanForASession(boolean enabled) {
		try (TestServer server = TestServer.start(List.of(WebTestApplication.class, Sessions.class),
				"idempotency.enabled=" + enabled)) {
			Answer answer = server.post("/in-session").key(TestServer.newKey()).send();
			assertThat(answer.text()).as("%s", answer).isEqualTo("tool by-hand");
		}
	}

	@Test
	void saysOnceAtStartUpThatNothingIsProtected(CapturedOutput output) {
		try (TestServer server = TestServer.start(List.of(WebTestApplication.class), "idempotency.enabled=false")) {
			assertThat(server.port()).isPositive();
		}
		assertThat(output.toString()).containsOnlyOnce("idempotency.enabled is false");
		assertThat(output.toString().lines().filter((line) -> line.contains("idempotency.enabled is false")))
			.singleElement()
			.asString()
			.contains("WARN");
	}

	@Test
	void saysNothingOfTheKindWhereSomethingIs(CapturedOutput output) {
		try (TestServer server = TestServer.start(List.of(WebTestApplication.class))) {
			assertThat(server.port()).isPositive();
		}
		assertThat(output.toString()).doesNotContain("idempotency.enabled is false");
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
			this.server = TestServer.start(
					List.of(WebTestApplication.class, HandlerContextTests.Witness.class,
							HandlerContextTests.ServletWitness.class, Used.class, OptionallyUsed.class, Deep.class,
							Methods.class, Routes.class),
					"spring.task.execution.pool.core-size=1", "spring.task.execution.pool.max-size=1", this.property);
		}

		static List<String> paths() {
			return List.of("argument", "deep", "task", "steps", "step-elsewhere", "method", "async-method", "by-hand",
					"session", "route");
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

		@ParameterizedTest
		@MethodSource("paths")
		void forgetsTheContextAfterTheRequest(String path) throws InterruptedException {
			HandlerContextTests.Witness witness = this.server.bean(HandlerContextTests.Witness.class);
			witness.forget();
			this.server.post(this.base + "/" + path).send();
			assertThat(witness.sawAContext()).isFalse();
			assertThat(this.server.post("/elsewhere").send().text()).isEqualTo("false");
		}

		@Test
		void tellsAHandlerThatAsksWhetherItIsProtected() {
			assertThat(this.server.post(this.base + "/optional").send().text()).isEqualTo("false");
			assertThat(this.server.post(this.base + "/nullable").send().text()).isEqualTo("false");
		}

	}

	@Service
	record Deep(Executions executions) {

		/**
		 * Uses all of the current context.
		 */
		String use() {
			IdempotencyContext context = IdempotencyContext.current();
			this.executions.next("used");
			context.effect(Effect.CREATED);
			context.doNotStore();
			assertThat(context.attempt()).isEqualTo(1);
			assertThat(context.mayHaveRun()).isFalse();
			assertThat(context.key().hash()).isNotBlank();
			return context.key().value();
		}

	}

	static class Methods {

		private final Deep deep;

		Methods(Deep deep) {
			this.deep = deep;
		}

		@Idempotent(key = "#id")
		public String method(String id) {
			return this.deep.use();
		}

		@Idempotent(key = "#id")
		public CompletableFuture<String> asyncMethod(String id) {
			return CompletableFuture.completedFuture(this.deep.use());
		}

	}

	@RestController
	@RequestMapping("/used")
	@Idempotent
	static class Used extends Handlers {

		Used(Deep deep, Methods methods, Idempotency idempotency) {
			super(deep, methods, idempotency);
		}

		@PostMapping("/header")
		@Idempotent(key = "header('X-Order')")
		String header(IdempotencyContext context) {
			return context.key().value();
		}

		@PostMapping("/from-body")
		@Idempotent(key = "body('/id')")
		String fromBody(IdempotencyContext context) {
			return context.key().value();
		}

		@PostMapping("/derived")
		@Idempotent(key = "derived()")
		String derived(IdempotencyContext context) {
			return context.key().value();
		}

	}

	@RestController
	@RequestMapping("/optional")
	@Idempotent(required = false)
	static class OptionallyUsed extends Handlers {

		OptionallyUsed(Deep deep, Methods methods, Idempotency idempotency) {
			super(deep, methods, idempotency);
		}

	}

	@RestController
	static class Elsewhere {

		@PostMapping("/elsewhere")
		Callable<String> elsewhere() {
			return () -> String.valueOf(IdempotencyContext.find().isPresent());
		}

	}

	abstract static class Handlers {

		private final Deep deep;

		private final Methods methods;

		private final Idempotency idempotency;

		Handlers(Deep deep, Methods methods, Idempotency idempotency) {
			this.deep = deep;
			this.methods = methods;
			this.idempotency = idempotency;
		}

		@PostMapping("/argument")
		String argument(IdempotencyContext context) {
			assertThat(context).isSameAs(IdempotencyContext.current());
			return this.deep.use();
		}

		@PostMapping("/deep")
		String deep() {
			return this.deep.use();
		}

		@PostMapping("/task")
		Callable<String> task() {
			return this.deep::use;
		}

		@PostMapping("/steps")
		String steps(IdempotencyContext context) {
			String one = context.steps().run("one", String.class, () -> "one");
			return one + context.steps().run("two", 2, String.class, this.deep::use);
		}

		@PostMapping("/step-elsewhere")
		String stepElsewhere(IdempotencyContext context) {
			return CompletableFuture.supplyAsync(() -> context.steps().run("one", String.class, this.deep::use)).join();
		}

		@PostMapping("/method")
		String method(@RequestHeader(name = "Idempotency-Key", required = false) @Nullable String id) {
			return this.methods.method((id != null) ? id : TestServer.newKey());
		}

		@PostMapping("/async-method")
		String asyncMethod() {
			return this.methods.asyncMethod(TestServer.newKey()).join();
		}

		@PostMapping("/by-hand")
		String byHand(@RequestHeader(name = "Idempotency-Key", required = false) @Nullable String id) {
			return this.idempotency.execute(IdempotencyKey.of("by-hand", (id != null) ? id : TestServer.newKey()),
					String.class, this.deep::use);
		}

		@PostMapping("/session")
		String session() {
			return this.idempotency.session(TestServer.newKey()).run("tool", 1, String.class, this.deep::use);
		}

		@PostMapping("/optional")
		String optional(Optional<IdempotencyContext> context) {
			return String.valueOf(context.isPresent());
		}

		@PostMapping("/nullable")
		String nullable(@Nullable IdempotencyContext context) {
			return String.valueOf(context != null);
		}

	}

	@RestController
	static class LongLease {

		@PostMapping("/long-lease")
		@Idempotent(lease = "2h")
		String longLease(IdempotencyContext context) {
			return context.key().value();
		}

	}

	static class FailingKey {

		@Idempotent(key = "#order.number()")
		public String pay(Order order) {
			return (order != null) ? "paid" : "";
		}

	}

	static class Order {

		public String number() {
			throw new UnsupportedOperationException("has none yet");
		}

	}

	static class Sessions {

		@Bean
		IdempotencySession nightlyRun(Idempotency idempotency) {
			return idempotency.session("nightly");
		}

		@Bean
		InSession inSession(Idempotency byHand, IdempotencySession ofTools) {
			return new InSession(byHand, ofTools);
		}

	}

	@RestController
	record InSession(Idempotency byHand, IdempotencySession ofTools) {

		@PostMapping("/in-session")
		String run(@RequestHeader("Idempotency-Key") String key) {
			return this.ofTools.run("tool", key, String.class, () -> "tool ")
					+ this.byHand.execute(IdempotencyKey.of("by-hand", key), String.class, () -> "by-hand");
		}

	}

	static class Routes {

		@Bean
		Elsewhere elsewhere() {
			return new Elsewhere();
		}

		@Bean
		RouterFunction<ServerResponse> used(IdempotencyRouteFilter idempotency, Deep deep) {
			return RouterFunctions.route()
				.POST("/used/route", (request) -> ServerResponse.ok().body(deep.use()))
				.filter(idempotency)
				.build();
		}

		@Bean
		RouterFunction<ServerResponse> optionallyUsed(IdempotencyRouteFilter idempotency, Deep deep) {
			return RouterFunctions.route()
				.POST("/optional/route", (request) -> ServerResponse.ok().body(deep.use()))
				.filter(idempotency.withOptionalKey())
				.build();
		}

	}

}
