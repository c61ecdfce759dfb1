package dev.idempotency.web;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.DryRun;
import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whether a handler's work is done, in every mode, with every kind of key, of dry run and
 * of handler. What is asked for as a dry run is never done.
 */
class DryRunMatrixTests {

	private static final String LARGE = "x".repeat(4096);

	@Nested
	class Enforcing extends Matrix {

		Enforcing() {
			super(Mode.ENFORCE, "idempotency.mode=enforce");
		}

	}

	@Nested
	class Observing extends Matrix {

		Observing() {
			super(Mode.OBSERVE, "idempotency.mode=observe");
		}

	}

	@Nested
	class SwitchedOff extends Matrix {

		SwitchedOff() {
			super(Mode.OFF, "idempotency.enabled=false");
		}

	}

	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	abstract static class Matrix {

		private final Mode mode;

		private final String property;

		@AutoClose
		private TestServer server;

		private JdbcTemplate jdbc;

		Matrix(Mode mode, String property) {
			this.mode = mode;
			this.property = property;
		}

		@BeforeAll
		void start() {
			this.server = TestServer.start(List.of(WebTestApplication.class, Handlers.class, Routes.class),
					TestServer.WITH_DATABASE, "spring.datasource.url=jdbc:h2:mem:dry-run-matrix-" + this.mode,
					"idempotency.http.max-request-body=1KB", this.property);
			this.jdbc = this.server.bean(JdbcTemplate.class);
			this.jdbc.execute("create table work (text varchar(10))");
		}

		@BeforeEach
		void clear() {
			this.jdbc.update("delete from work");
		}

		Stream<Cell> cells() {
			return Stream.of(Handler.values())
				.flatMap((handler) -> Stream.of(Key.values())
					.flatMap((key) -> Asked.all().stream().map((asked) -> new Cell(handler, key, asked))));
		}

		@ParameterizedTest
		@MethodSource("cells")
		void worksOnlyWhereItMay(Cell cell) {
			RawClient call = RawClient.post(this.server, "/matrix/" + cell.handler().path);
			if (cell.key().value() != null) {
				call.header("Idempotency-Key", cell.key().value());
			}
			cell.asked().values().forEach((value) -> call.header("Idempotency-Dry-Run", value));
			Answer answer = call.chunked("text/plain", (cell.key() == Key.WITH_LARGE_BODY) ? LARGE : "small").send();
			int status = cell.status(this.mode);
			assertThat(answer.status()).as("%s", answer).isEqualTo(status);
			assertThat(this.jdbc.queryForObject("select count(*) from work", Integer.class)).as("%s", answer)
				.isEqualTo(cell.isDone(this.mode) ? 1 : 0);
			if (status >= 400) {
				assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
				assertThat(answer.effect()).isEqualTo("none");
			}
			else if (!cell.isDone(this.mode)) {
				assertThat(answer.effect()).isEqualTo("would_execute");
			}
		}

	}

	enum Mode {

		ENFORCE, OBSERVE, OFF

	}

	enum Handler {

		ANNOTATED("annotated"), OPTIONAL("optional"), REHEARSED("rehearsed"), PLAIN("plain"), ROUTE("route");

		private final String path;

		Handler(String path) {
			this.path = path;
		}

	}

	enum Key {

		GOOD, NONE, MALFORMED, WITH_LARGE_BODY;

		@Nullable String value() {
			return switch (this) {
				case GOOD, WITH_LARGE_BODY -> TestServer.newKey();
				case NONE -> null;
				case MALFORMED -> "two words";
			};
		}

	}

	enum Meaning {

		REAL, DRY, NONSENSE

	}

	record Asked(Meaning meaning, List<String> values) {

		static List<Asked> all() {
			List<Asked> all = new ArrayList<>(List.of(new Asked(Meaning.REAL, List.of())));
			Stream.of("?0", "false", "?0;a=b").forEach((value) -> all.add(new Asked(Meaning.REAL, List.of(value))));
			Stream.of("?1", "true", "TRUE", "?1;a=b", "?1; a; b=\"?0\"")
				.forEach((value) -> all.add(new Asked(Meaning.DRY, List.of(value))));
			Stream.of("1", "yes", "on", "", "?2", "?1, ?1", "?0;", "?0;a=?2", "\"?1\"", "0")
				.forEach((value) -> all.add(new Asked(Meaning.NONSENSE, List.of(value))));
			all.add(new Asked(Meaning.NONSENSE, List.of("?1", "?1")));
			all.add(new Asked(Meaning.NONSENSE, List.of("?0", "?1")));
			all.add(new Asked(Meaning.NONSENSE, List.of("?0", "?0")));
			return all;
		}

	}

	record Cell(Handler handler, Key key, Asked asked) {

		/**
		 * Whether the request gets as far as its handler, or the report about it.
		 */
		private boolean isAdmitted(Mode mode) {
			return mode != Mode.ENFORCE || this.key == Key.GOOD
					|| (this.key == Key.NONE && this.handler == Handler.OPTIONAL);
		}

		boolean isDone(Mode mode) {
			return this.handler == Handler.PLAIN || (this.asked.meaning() == Meaning.REAL && isAdmitted(mode));
		}

		int status(Mode mode) {
			if (this.handler == Handler.PLAIN) {
				return 200;
			}
			if (this.asked.meaning() == Meaning.NONSENSE) {
				return 400;
			}
			if (this.asked.meaning() == Meaning.DRY && mode == Mode.OFF) {
				return 501;
			}
			return isAdmitted(mode) ? 200 : (this.key == Key.WITH_LARGE_BODY) ? 413 : 400;
		}

	}

	@RestController
	@RequestMapping("/matrix")
	record Handlers(JdbcTemplate jdbc) {

		private String work(String body) {
			this.jdbc.update("insert into work values ('done')");
			return "%d characters".formatted(body.length());
		}

		@PostMapping("/annotated")
		@Idempotent
		String annotated(@RequestBody String body) {
			return work(body);
		}

		@PostMapping("/optional")
		@Idempotent(required = false)
		String optional(@RequestBody String body) {
			return work(body);
		}

		@PostMapping("/rehearsed")
		@Idempotent(dryRun = DryRun.ROLLBACK)
		String rehearsed(@RequestBody String body) {
			return work(body);
		}

		@PostMapping("/plain")
		String plain(@RequestBody String body) {
			return work(body);
		}

	}

	static class Routes {

		@Bean
		RouterFunction<ServerResponse> matrixRoute(IdempotencyRouteFilter idempotency, Handlers handlers) {
			return RouterFunctions.route()
				.POST("/matrix/route", (request) -> ServerResponse.ok().body(handlers.work(request.body(String.class))))
				.filter(idempotency)
				.build();
		}

	}

}
