package dev.idempotency.web;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A handler that has returned has run, also if nobody can write what it returned: its
 * client is told of a failure, and its retries do not run it again.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnwritableAnswerTests implements Container.Choice {

	@AutoClose
	private final TestServer server = serve(
			List.of(WebTestApplication.class, Handlers.class, Handled.class, Views.class, Routes.class,
					Forwarding.class),
			TestServer.WITH_DATABASE, "spring.datasource.url=jdbc:h2:mem:unwritable", "idempotency.store=jdbc");

	private final JdbcTemplate jdbc = this.server.bean(JdbcTemplate.class);

	@BeforeAll
	void createTable() {
		this.jdbc.execute("create table work (text varchar(10))");
	}

	@BeforeEach
	void clear() {
		this.server.executions().clear();
		this.jdbc.update("delete from work");
	}

	@ParameterizedTest
	@ValueSource(strings = { "body", "late", "entity", "no-converter", "task", "future", "view", "route" })
	void runsOnce(String path) {
		String key = TestServer.newKey();
		Answer first = this.server.post("/unwritable/" + path).key(key).send();
		assertThat(first.status()).as("%s", first).isEqualTo(500);
		for (int i = 0; i < 2; i++) {
			Answer retry = this.server.post("/unwritable/" + path).key(key).send();
			retry.assertProblem(409, "not-replayable");
		}
		assertThat(this.server.executions().of(path)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "transactional", "transactional-view" })
	void runsAgainWhereItsWorkWasRolledBack(String path) {
		String key = TestServer.newKey();
		for (int i = 1; i <= 2; i++) {
			Answer answer = this.server.post("/unwritable/" + path).key(key).send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(500);
			assertThat(this.jdbc.queryForObject("select count(*) from work", Integer.class)).isZero();
			assertThat(this.server.executions().of(path)).isEqualTo(i);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "throws", "throws-not-writable", "answers-with-500", "gives-back" })
	void runsAgainWhereTheHandlerItselfFailed(String path) {
		String key = TestServer.newKey();
		for (int i = 1; i <= 2; i++) {
			Answer answer = this.server.post("/unwritable/" + path).key(key).send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(500);
			assertThat(this.server.executions().of(path)).isEqualTo(i);
		}
	}

	/**
	 * The handler that forwards is in the middle of its view when the other one fails.
	 */
	@Test
	void runsAgainWhereAHandlerFailedThatAnotherOneForwardedTo() {
		String key = TestServer.newKey();
		for (int i = 1; i <= 2; i++) {
			Answer answer = this.server.post("/forwarding-to-failing").key(key).send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(500);
			assertThat(this.server.executions().of("throws")).isEqualTo(i);
		}
	}

	@Test
	void runsAgainWhereTheHandlerFailedAndItsErrorCouldNotBeWritten() {
		String key = TestServer.newKey();
		for (int i = 1; i <= 2; i++) {
			assertThat(this.server.post("/unwritable/handled/error").key(key).send().status()).isEqualTo(500);
			assertThat(this.server.executions().of("error")).isEqualTo(i);
		}
	}

	@Test
	void repeatsWhatAnExceptionHandlerMadeOfIt() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/unwritable/handled/body").key(key).send();
		assertThat(first.status()).as("%s", first).isEqualTo(422);
		Answer retry = this.server.post("/unwritable/handled/body").key(key).send();
		assertThat(retry.isReplay()).isTrue();
		assertThat(retry.text()).isEqualTo("not writable");
		assertThat(this.server.executions().of("handled")).isEqualTo(1);
	}

	/**
	 * Cannot be written as JSON, which shows when some of it is written.
	 */
	record Awkward(String good) {

		public String getBad() {
			if (!this.good.isEmpty()) {
				throw new IllegalStateException("bad");
			}
			return this.good;
		}

	}

	@RestController
	@RequestMapping("/unwritable")
	@Idempotent
	record Handlers(Executions executions, JdbcTemplate jdbc) {

		private Awkward awkward(String name) {
			return new Awkward(this.executions.next(name));
		}

		@PostMapping("/body")
		Awkward body() {
			return awkward("body");
		}

		@PostMapping("/late")
		List<Object> late() {
			return List.of("x".repeat(100_000), awkward("late"));
		}

		@PostMapping("/entity")
		ResponseEntity<Awkward> entity() {
			return ResponseEntity.status(HttpStatus.CREATED).body(awkward("entity"));
		}

		@PostMapping("/no-converter")
		ResponseEntity<Awkward> noConverter() {
			return ResponseEntity.ok().contentType(MediaType.valueOf("text/csv")).body(awkward("no-converter"));
		}

		@PostMapping("/task")
		Callable<Awkward> task() {
			return () -> awkward("task");
		}

		@PostMapping("/future")
		CompletableFuture<Awkward> future() {
			return CompletableFuture.supplyAsync(() -> awkward("future"));
		}

		@PostMapping("/transactional")
		@Idempotent(transactional = true)
		Awkward transactional() {
			this.jdbc.update("insert into work values ('done')");
			return awkward("transactional");
		}

		@PostMapping("/throws")
		Awkward fail() {
			throw new IllegalStateException(this.executions.next("throws"));
		}

		/**
		 * As where the body of a call to another service cannot be written.
		 */
		@PostMapping("/throws-not-writable")
		Awkward failToWrite() {
			throw new HttpMessageNotWritableException(this.executions.next("throws-not-writable"));
		}

		@PostMapping("/answers-with-500")
		ResponseEntity<String> failure() {
			return ResponseEntity.internalServerError().body(this.executions.next("answers-with-500"));
		}

		@PostMapping("/gives-back")
		Awkward giveBack(IdempotencyContext context) {
			context.doNotStore();
			return awkward("gives-back");
		}

	}

	@RestController
	@RequestMapping("/unwritable/handled")
	@Idempotent
	record Handled(Executions executions) {

		@PostMapping("/body")
		Awkward body() {
			return new Awkward(this.executions.next("handled"));
		}

		@PostMapping("/error")
		String fail() {
			throw new IllegalArgumentException(this.executions.next("error"));
		}

		@ExceptionHandler
		ResponseEntity<String> notWritable(HttpMessageNotWritableException ex) {
			return ResponseEntity.unprocessableContent().body("not writable");
		}

		@ExceptionHandler
		@ResponseBody
		Awkward illegal(IllegalArgumentException ex) {
			return new Awkward("error");
		}

	}

	@Controller
	static class Forwarding {

		@PostMapping("/forwarding-to-failing")
		String forward() {
			return "forward:/unwritable/throws";
		}

	}

	@Controller
	@RequestMapping("/unwritable")
	@Idempotent
	static class Views {

		private static final View FAILING = (model, request, response) -> {
			response.getWriter().write("half of ");
			throw new IllegalStateException("a view that fails");
		};

		private final Executions executions;

		private final JdbcTemplate jdbc;

		Views(Executions executions, JdbcTemplate jdbc) {
			this.executions = executions;
			this.jdbc = jdbc;
		}

		@PostMapping("/view")
		ModelAndView view() {
			this.executions.next("view");
			return new ModelAndView(FAILING);
		}

		@PostMapping("/transactional-view")
		@Idempotent(transactional = true)
		ModelAndView transactionalView() {
			this.jdbc.update("insert into work values ('done')");
			this.executions.next("transactional-view");
			return new ModelAndView(FAILING);
		}

	}

	static class Routes {

		@Bean
		RouterFunction<ServerResponse> unwritableRoute(IdempotencyRouteFilter idempotency, Executions executions) {
			return RouterFunctions.route()
				.POST("/unwritable/route", (request) -> ServerResponse.ok().body(new Awkward(executions.next("route"))))
				.filter(idempotency)
				.build();
		}

	}

}
