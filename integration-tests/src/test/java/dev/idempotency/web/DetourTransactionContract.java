package dev.idempotency.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A handler that includes other resources, or forwards to them, and then goes on: its
 * transaction ends when it does, and not when they do.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DetourTransactionContract {

	private final boolean jetty;

	private final boolean openInView;

	@AutoClose
	private TestServer server;

	private JdbcTemplate jdbc;

	private String key;

	DetourTransactionContract(boolean jetty, boolean openInView) {
		this.jetty = jetty;
		this.openInView = openInView;
	}

	@BeforeAll
	void start() {
		List<Class<?>> sources = new ArrayList<>(List.of(WebTestApplication.class, Handlers.class, Surroundings.class));
		String[] properties = { this.openInView ? TestServer.WITH_JPA : TestServer.WITH_DATABASE,
				"spring.datasource.url=jdbc:h2:mem:" + getClass().getSimpleName(), "idempotency.store=jdbc" };
		this.server = this.jetty ? JettyContainer.start(sources, properties) : TestServer.start(sources, properties);
		this.jdbc = this.server.bean(JdbcTemplate.class);
		this.jdbc.execute("create table work (text varchar(100))");
	}

	@BeforeEach
	void clear() {
		this.key = TestServer.newKey();
		this.jdbc.update("delete from work");
		this.jdbc.update("delete from idempotency_record");
	}

	private Answer send(String path, String detour, String end) {
		return this.server.post("/detours/" + path)
			.header("X-Detour", detour)
			.header("X-End", end)
			.key(this.key)
			.send();
	}

	private List<String> rows() {
		return this.jdbc.queryForList("select text from work", String.class);
	}

	private List<String> states() {
		return this.jdbc.queryForList(
				"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record",
				String.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "include open", "include protected", "include transactional-kind", "include route",
			"include named", "include including", "include failing", "forward open", "forward protected",
			"forward transactional-kind", "forward route", "forward named" })
	void undoesAllOfAHandlerThatFailsAfterADetour(String detour) {
		Answer answer = send("transactional", detour, "throw");
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		assertThat(rows()).isEmpty();
		assertThat(states()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "include open", "include protected", "include transactional-kind", "include route",
			"include named", "include including" })
	void commitsAllOfAHandlerThatIncludesOthers(String detour) {
		for (String path : List.of("transactional", "transactional-route", "plain")) {
			clear();
			Answer first = send(path, detour, "return");
			assertThat(first.status()).as("%s", first).isEqualTo(200);
			assertThat(first.text()).startsWith("before,part").endsWith("part,after");
			assertThat(rows()).containsExactly("before", "after");
			assertThat(states()).containsExactly("COMPLETED");
			Answer second = send(path, detour, "return");
			second.assertReplayOf(first);
			assertThat(rows()).hasSize(2);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "forward open", "forward protected", "forward transactional-kind", "forward route",
			"forward named" })
	void commitsAllOfAHandlerThatForwards(String detour) {
		for (String path : List.of("transactional", "plain")) {
			clear();
			Answer first = send(path, detour, "return");
			assertThat(first.status()).as("%s", first).isEqualTo(200);
			assertThat(first.text()).contains("part");
			assertThat(rows()).containsExactly("before", "after");
			Answer second = send(path, detour, "return");
			second.assertReplayOf(first);
			assertThat(rows()).hasSize(2);
		}
	}

	@Test
	void undoesAllOfAHandlerWhoseForwardEndsWithAnError() {
		Answer first = send("transactional", "forward failing", "return");
		assertThat(first.status()).as("%s", first).isEqualTo(422);
		assertThat(first.effect()).isEqualTo("none");
		assertThat(rows()).isEmpty();
		Answer second = send("transactional", "forward failing", "return");
		assertThat(second.isReplay()).isTrue();
		assertThat(second.status()).isEqualTo(422);
	}

	@Test
	void undoesAllOfAHandlerThatSendsAnErrorAfterAnInclude() {
		Answer first = send("transactional", "include open", "error");
		assertThat(first.status()).as("%s", first).isEqualTo(410);
		assertThat(rows()).isEmpty();
		assertThat(send("transactional", "include open", "error").isReplay()).isTrue();
	}

	@Test
	void commitsAProtectedHandlerThatIsIncludedWhenThatReturns() {
		Answer first = send("host", "", "");
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		assertThat(rows()).containsExactly("before", "part", "after");
		assertThat(states()).containsExactly("COMPLETED");
	}

	@ParameterizedTest
	@ValueSource(strings = { "include open", "forward open", "include transactional-kind" })
	void aDryRunUndoesAllOfIt(String detour) {
		Answer answer = this.server.post("/detours/rehearsed")
			.header("X-Detour", detour)
			.header("X-End", "return")
			.dryRun()
			.key(this.key)
			.send();
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		assertThat(rows()).isEmpty();
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Surroundings {

		@Bean
		ServletRegistrationBean<HttpServlet> named() {
			HttpServlet servlet = new HttpServlet() {

				private static final long serialVersionUID = 1L;

				@Override
				protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
					response.getOutputStream().print("part");
				}

			};
			ServletRegistrationBean<HttpServlet> registration = new ServletRegistrationBean<>(servlet,
					"/detours-by-name");
			registration.setName("named");
			return registration;
		}

		@Bean
		RouterFunction<ServerResponse> detours(IdempotencyRouteFilter idempotency, Handlers handlers) {
			return RouterFunctions.route()
				.POST("/detours/route", (request) -> ServerResponse.ok().body("part"))
				.build()
				.and(RouterFunctions.route()
					.POST("/detours/transactional-route",
							(request) -> ServerResponse.ok().build((servletRequest, response) -> {
								handlers.go(servletRequest, response, request.headers().header("X-Detour").get(0),
										"return");
								return null;
							}))
					.filter(idempotency.withTransaction())
					.build());
		}

	}

	@RestController
	record Handlers(JdbcTemplate jdbc) {

		private void enter(String text) {
			this.jdbc.update("insert into work (text) values (?)", text);
		}

		private void go(HttpServletRequest request, HttpServletResponse response, String detour, String end)
				throws ServletException, IOException {
			String key = IdempotencyContext.find().map((context) -> context.key().value()).orElse("");
			boolean forward = detour.startsWith("forward ");
			enter("before");
			if (!forward) {
				response.getOutputStream().print("before,");
			}
			String target = detour.substring(8);
			RequestDispatcher dispatcher = target.equals("named")
					? request.getServletContext().getNamedDispatcher("named")
					: request.getRequestDispatcher("/detours/" + target);
			if (forward) {
				dispatcher.forward(request, response);
			}
			else {
				dispatcher.include(request, response);
				response.getOutputStream().print(",after");
			}
			enter("after");
			assertThat(IdempotencyContext.find().map((context) -> context.key().value()).orElse("")).isEqualTo(key);
			if (end.equals("throw")) {
				throw new IllegalStateException("the handler fails");
			}
			if (end.equals("error")) {
				response.sendError(HttpServletResponse.SC_GONE);
			}
		}

		@PostMapping("/detours/transactional")
		@Idempotent(transactional = true)
		void transactional(HttpServletRequest request, HttpServletResponse response,
				@RequestHeader("X-Detour") String detour, @RequestHeader("X-End") String end)
				throws ServletException, IOException {
			go(request, response, detour, end);
		}

		@PostMapping("/detours/plain")
		@Idempotent
		void plain(HttpServletRequest request, HttpServletResponse response, @RequestHeader("X-Detour") String detour,
				@RequestHeader("X-End") String end) throws ServletException, IOException {
			go(request, response, detour, end);
		}

		@PostMapping("/detours/rehearsed")
		@Idempotent(dryRun = DryRun.ROLLBACK)
		void rehearsed(HttpServletRequest request, HttpServletResponse response,
				@RequestHeader("X-Detour") String detour, @RequestHeader("X-End") String end)
				throws ServletException, IOException {
			go(request, response, detour, end);
		}

		@PostMapping("/detours/open")
		String part() {
			return "part";
		}

		/**
		 * Not protected itself.
		 */
		@PostMapping("/detours/host")
		void host(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			enter("before");
			request.getRequestDispatcher("/detours/transactional-part").include(request, response);
			assertThat(IdempotencyContext.find()).isEmpty();
			enter("after");
		}

		@PostMapping("/detours/protected")
		@Idempotent
		String protectedPart() {
			return "part";
		}

		@PostMapping("/detours/transactional-kind")
		@Idempotent(transactional = true)
		String transactionalKind() {
			return "part";
		}

		@PostMapping("/detours/transactional-part")
		@Idempotent(transactional = true)
		String transactionalPart() {
			enter("part");
			return "part";
		}

		/**
		 * Includes once more.
		 */
		@PostMapping("/detours/including")
		void including(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			request.getRequestDispatcher("/detours/protected").include(request, response);
			request.getRequestDispatcher("/detours/open").include(request, response);
		}

		@PostMapping("/detours/failing")
		String failing() {
			throw new UnsupportedOperationException("a part fails");
		}

		@ExceptionHandler
		ResponseEntity<String> failed(UnsupportedOperationException ex) {
			return ResponseEntity.unprocessableContent().body("part that failed");
		}

	}

}
