package dev.idempotency.web;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.StoredAnswers;
import dev.idempotency.http.RequestFacts;
import dev.idempotency.http.ResponsePolicy;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

/**
 * Which answers are stored, and after which a retry runs again.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpOutcomeTests implements Container.Choice {

	/**
	 * Ways to fail, with the status of the answer.
	 */
	static final List<String> FAILURES = List.of("exception 500", "void-exception 500", "status-exception 503",
			"send-error 502", "entity 500", "callable 500", "deferred 500", "future 500", "streaming 500");

	/**
	 * After these, the work may continue ({@link AsyncTimeoutTests}).
	 */
	private static final List<String> TIMEOUTS = List.of("callable-timeout 503", "deferred-timeout 503",
			"raw-async-timeout 500");

	static final List<String> FAILURES_AND_TIMEOUTS = Stream.concat(FAILURES.stream(), TIMEOUTS.stream()).toList();

	private static final String FIRST_PIECE = "first piece, ";

	@AutoClose
	private final TestServer server = serve(List.of(WebTestApplication.class, Outcomes.ByPolicy.class,
			Outcomes.Successful.class, Outcomes.All.class, FailingPolicy.class, MovableStore.class, Gates.class));

	@ParameterizedTest
	@FieldSource("FAILURES")
	void aRetryRunsAgainAfterAFailure(String kindAndStatus) {
		String path = "/by-policy/" + kindOf(kindAndStatus);
		String key = TestServer.newKey();
		Answer failure = this.server.post(path).key(key).send();
		assertThat(failure.status()).as("%s", failure).isEqualTo(statusOf(kindAndStatus));
		assertThat(failure.effect()).isEqualTo("executed");
		letGo(key);
		Answer retry = this.server.post(path).key(key).send();
		assertThat(retry.status()).as("%s", retry).isEqualTo(200);
		assertThat(retry.isReplay()).isFalse();
		this.server.post(path).key(key).send().assertExactReplayOf(retry);
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	@Test
	void aRedirectKeepsWhatWasWrittenBeforeIt() {
		String key = TestServer.newKey();
		Answer redirect = this.server.post("/by-policy/redirect").key(key).send();
		assertThat(redirect.status()).as("%s", redirect).isEqualTo(303);
		assertThat(redirect.header("Location")).endsWith("/elsewhere");
		assertThat(redirect.text()).startsWith(key + " no. 1 ");
		this.server.post("/by-policy/redirect").key(key).send().assertExactReplayOf(redirect);
	}

	@ParameterizedTest
	@FieldSource("FAILURES_AND_TIMEOUTS")
	void aFailureIsRepeatedWhereAllAnswersAreStored(String kindAndStatus) {
		String path = "/all/" + kindOf(kindAndStatus);
		String key = TestServer.newKey();
		Answer failure = this.server.post(path).key(key).send();
		assertThat(failure.status()).as("%s", failure).isEqualTo(statusOf(kindAndStatus));
		assertThat(failure.effect()).isEqualTo("executed");
		letGo(key);
		Answer again = this.server.post(path).key(key).send();
		if (isEndedAfterItsAnswer(kindAndStatus)) {
			// Until the lease is over
			again.assertInProgress();
		}
		else {
			again.assertExactReplayOf(failure);
		}
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	/**
	 * Whether the container has sent an answer of its own before it says that the request
	 * has ended.
	 */
	private boolean isEndedAfterItsAnswer(String kindAndStatus) {
		return kindOf(kindAndStatus).equals("raw-async-timeout") && !isToldOfTimeouts();
	}

	/**
	 * Whether the application renders the error of an asynchronous request whose time is
	 * over, and which nobody answers.
	 */
	boolean isToldOfTimeouts() {
		return true;
	}

	@ParameterizedTest
	@ValueSource(strings = { "void-flushed", "streaming-flushed", "emitter" })
	void aRetryRunsAgainAfterAFailureInTheMiddleOfTheAnswer(String kind) throws IOException {
		String path = "/by-policy/" + kind;
		String key = TestServer.newKey();
		failInTheMiddle(path, key);
		Answer retry = this.server.post(path).key(key).send();
		assertThat(retry.text()).startsWith(FIRST_PIECE).contains(key + " no. 2");
		this.server.post(path).key(key).send().assertExactReplayOf(retry);
	}

	@ParameterizedTest
	@ValueSource(strings = { "void-flushed", "streaming-flushed", "emitter" })
	void aFailureInTheMiddleOfTheAnswerCannotBeRepeatedWhereAllAnswersAreStored(String kind) throws IOException {
		String path = "/all/" + kind;
		String key = TestServer.newKey();
		failInTheMiddle(path, key);
		for (int retry = 0; retry < 2; retry++) {
			Answer answer = this.server.post(path).key(key).send();
			answer.assertProblem(409, "not-replayable");
		}
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	/**
	 * Ends a handler that nobody waits for any more.
	 */
	private void letGo(String key) {
		this.server.bean(Gates.class).open(key);
	}

	private void failInTheMiddle(String path, String key) throws IOException {
		try (Wire wire = Wire.post(this.server, path, key)) {
			assertThat(wire.readHead().status()).isEqualTo(200);
			// Over HTTP/2, what came before may be lost as well
			assertThatIOException().isThrownBy(() -> {
				assertThat(wire.read(FIRST_PIECE.length())).isEqualTo(FIRST_PIECE);
				wire.readToEnd();
			}).isNotInstanceOf(SocketTimeoutException.class);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 408, 409, 423, 425, 429, 500, 503 })
	void anAnswerIsNotStoredThatSaysNothingFinal(int status) {
		assertThatRetriesRun("/by-policy/answers/" + status, status);
		assertThatRetriesRun("/by-policy/sends-error/" + status, status);
	}

	@ParameterizedTest
	@ValueSource(ints = { 200, 201, 204, 400, 401, 403, 404, 410, 422, 451 })
	void anAnswerIsStoredThatIsFinal(int status) {
		assertThatRetriesAreAnswered("/by-policy/answers/" + status, status);
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 404, 410, 422, 500 })
	void anErrorIsNotStoredWhereOnlySuccessIs(int status) {
		assertThatRetriesRun("/successful/answers/" + status, status);
		assertThatRetriesRun("/successful/sends-error/" + status, status);
	}

	@Test
	void anExceptionThatBecameAnErrorIsNotStoredWhereOnlySuccessIs() {
		assertThatRetriesRun("/successful/advised", 422);
	}

	@ParameterizedTest
	@ValueSource(ints = { 200, 201, 204, 303 })
	void successIsStoredWhereOnlySuccessIs(int status) {
		assertThatRetriesAreAnswered("/successful/answers/" + status, status);
	}

	@ParameterizedTest
	@ValueSource(ints = { 200, 404, 409, 429, 500, 503 })
	void everyAnswerIsStoredWhereAllAre(int status) {
		assertThatRetriesAreAnswered("/all/answers/" + status, status);
	}

	@ParameterizedTest
	@ValueSource(ints = { 404, 409, 429, 500, 503 })
	void everyErrorIsStoredWhereAllAnswersAre(int status) {
		assertThatRetriesAreAnswered("/all/sends-error/" + status, status);
	}

	@Test
	void anOperationNeitherRunsAgainNorStaysInProgressIfThePolicyFails() {
		String key = TestServer.newKey();
		assertThat(this.server.post("/by-policy/undecided").key(key).send().status()).isEqualTo(500);
		for (int retry = 0; retry < 2; retry++) {
			Answer answer = this.server.post("/by-policy/undecided").key(key).send();
			answer.assertProblem(409, "not-replayable");
		}
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	private void assertThatRetriesRun(String path, int status) {
		String key = TestServer.newKey();
		for (int run = 1; run <= 2; run++) {
			Answer answer = this.server.post(path).key(key).send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(status);
			assertThat(answer.effect()).isEqualTo("executed");
			assertThat(answer.isReplay()).isFalse();
			assertThat(this.server.executions().of(key)).isEqualTo(run);
		}
	}

	private void assertThatRetriesAreAnswered(String path, int status) {
		String key = TestServer.newKey();
		Answer first = this.server.post(path).key(key).send();
		assertThat(first.status()).as("%s", first).isEqualTo(status);
		this.server.post(path).key(key).send().assertExactReplayOf(first);
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	private static String kindOf(String kindAndStatus) {
		return kindAndStatus.substring(0, kindAndStatus.indexOf(' '));
	}

	private static int statusOf(String kindAndStatus) {
		return Integer.parseInt(kindAndStatus.substring(kindAndStatus.indexOf(' ') + 1));
	}

	/**
	 * Cannot make up its mind about one handler.
	 */
	static class FailingPolicy implements ResponsePolicy {

		@Override
		public boolean shouldStore(RequestFacts request, int status) {
			if (request.path().endsWith("/undecided")) {
				throw new IllegalStateException("as planned");
			}
			return ResponsePolicy.finalAnswers().shouldStore(request, status);
		}

	}

	/**
	 * Handlers that fail the first time.
	 */
	abstract static class Outcomes {

		private static final long SHORT = 50;

		private static final long LONG = 60_000;

		private final Gates gates;

		private final Executions executions;

		Outcomes(Gates gates, Executions executions) {
			this.gates = gates;
			this.executions = executions;
		}

		/**
		 * As by default.
		 */
		@RestController
		@Idempotent
		@RequestMapping("/by-policy")
		static class ByPolicy extends Outcomes {

			ByPolicy(Gates gates, Executions executions) {
				super(gates, executions);
			}

		}

		/**
		 * Only what succeeded.
		 */
		@RestController
		@Idempotent(store = StoredAnswers.SUCCESSFUL)
		@RequestMapping("/successful")
		static class Successful extends Outcomes {

			Successful(Gates gates, Executions executions) {
				super(gates, executions);
			}

		}

		/**
		 * Whatever happens.
		 */
		@RestController
		@Idempotent(store = StoredAnswers.ALL)
		@RequestMapping("/all")
		static class All extends Outcomes {

			All(Gates gates, Executions executions) {
				super(gates, executions);
			}

		}

		private boolean isFirst(IdempotencyContext context) {
			return this.executions.of(context.key().value()) == 0;
		}

		private String run(IdempotencyContext context) {
			return this.executions.next(context.key().value());
		}

		private String failFirst(IdempotencyContext context) {
			boolean first = isFirst(context);
			String receipt = run(context);
			if (first) {
				throw new IllegalStateException("as planned");
			}
			return receipt;
		}

		@PostMapping("/answers/{status}")
		ResponseEntity<String> answers(IdempotencyContext context, @PathVariable int status) {
			ResponseEntity.BodyBuilder answer = ResponseEntity.status(status).header("X-Receipt", run(context));
			return (status != 204) ? answer.body("status " + status) : answer.build();
		}

		@PostMapping("/redirect")
		void redirect(IdempotencyContext context, HttpServletResponse response) throws IOException {
			response.getWriter().print(run(context));
			response.sendRedirect("/elsewhere", 303, false);
		}

		@PostMapping("/sends-error/{status}")
		void sendsError(IdempotencyContext context, HttpServletResponse response, @PathVariable int status)
				throws IOException {
			response.setHeader("X-Receipt", run(context));
			response.sendError(status);
		}

		@PostMapping("/advised")
		Map<String, String> advised(IdempotencyContext context) {
			throw new HandlerKinds.AdvisedException(run(context));
		}

		@PostMapping("/undecided")
		String undecided(IdempotencyContext context) {
			return run(context);
		}

		@PostMapping("/exception")
		String exception(IdempotencyContext context) {
			return failFirst(context);
		}

		@PostMapping("/void-exception")
		void voidException(IdempotencyContext context, HttpServletResponse response) throws IOException {
			response.getWriter().print("nobody sees this if it fails, ");
			response.getWriter().print(failFirst(context));
		}

		@PostMapping("/status-exception")
		String statusException(IdempotencyContext context) {
			try {
				return failFirst(context);
			}
			catch (IllegalStateException ex) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "not now", ex);
			}
		}

		@PostMapping("/send-error")
		void sendError(IdempotencyContext context, HttpServletResponse response) throws IOException {
			try {
				response.getWriter().print(failFirst(context));
			}
			catch (IllegalStateException ex) {
				response.sendError(502);
			}
		}

		@PostMapping("/entity")
		ResponseEntity<String> entity(IdempotencyContext context) {
			try {
				return ResponseEntity.ok(failFirst(context));
			}
			catch (IllegalStateException ex) {
				return ResponseEntity.internalServerError().body("failed");
			}
		}

		@PostMapping("/callable")
		Callable<String> callable(IdempotencyContext context) {
			return () -> failFirst(context);
		}

		@PostMapping("/deferred")
		DeferredResult<String> deferred(IdempotencyContext context) {
			DeferredResult<String> result = new DeferredResult<>();
			Background.execute(() -> {
				try {
					result.setResult(failFirst(context));
				}
				catch (IllegalStateException ex) {
					result.setErrorResult(ex);
				}
			});
			return result;
		}

		@PostMapping("/future")
		CompletableFuture<String> future(IdempotencyContext context) {
			return Background.start(() -> failFirst(context));
		}

		@PostMapping("/streaming")
		StreamingResponseBody streaming(IdempotencyContext context) {
			return (out) -> out.write(failFirst(context).getBytes(StandardCharsets.UTF_8));
		}

		@PostMapping("/callable-timeout")
		WebAsyncTask<String> callableTimeout(IdempotencyContext context) {
			boolean first = isFirst(context);
			String receipt = run(context);
			return new WebAsyncTask<>(first ? SHORT : LONG, () -> {
				if (first) {
					this.gates.await(context.key().value());
				}
				return receipt;
			});
		}

		@PostMapping("/deferred-timeout")
		DeferredResult<String> deferredTimeout(IdempotencyContext context) {
			boolean first = isFirst(context);
			DeferredResult<String> result = new DeferredResult<>(first ? SHORT : LONG);
			String receipt = run(context);
			if (!first) {
				result.setResult(receipt);
			}
			return result;
		}

		@PostMapping("/raw-async-timeout")
		void rawAsyncTimeout(IdempotencyContext context, HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			boolean first = isFirst(context);
			String receipt = run(context);
			AsyncContext async = request.startAsync();
			async.setTimeout(first ? SHORT : LONG);
			if (!first) {
				response.getWriter().print(receipt);
				async.complete();
			}
		}

		@PostMapping("/void-flushed")
		void voidFlushed(IdempotencyContext context, HttpServletResponse response) throws IOException {
			response.getWriter().print(FIRST_PIECE);
			response.flushBuffer();
			response.getWriter().print(failFirst(context));
		}

		@PostMapping("/streaming-flushed")
		StreamingResponseBody streamingFlushed(IdempotencyContext context, HttpServletResponse response) {
			return (out) -> {
				out.write(FIRST_PIECE.getBytes(StandardCharsets.UTF_8));
				response.flushBuffer();
				out.write(failFirst(context).getBytes(StandardCharsets.UTF_8));
			};
		}

		@PostMapping("/emitter")
		ResponseBodyEmitter emitter(IdempotencyContext context) {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			Background.execute(() -> {
				try {
					emitter.send(FIRST_PIECE, MediaType.TEXT_PLAIN);
					emitter.send(failFirst(context), MediaType.TEXT_PLAIN);
					emitter.complete();
				}
				catch (IOException | IllegalStateException ex) {
					emitter.completeWithError(ex);
				}
			});
			return emitter;
		}

	}

}
