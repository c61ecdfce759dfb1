package dev.idempotency.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Idempotent;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Odd handlers, side by side: the same handler with and without the annotation.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SidesTests implements Container.Choice {

	private static final int ROUNDS = LongRun.choose(10, 300);

	private static final int CLIENTS = 8;

	@AutoClose
	private TestServer server;

	@BeforeAll
	void start() {
		this.server = serve(List.of(WebTestApplication.class, WithProtection.class, Without.class, Interceptors.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "removes", "resets", "replaces", "leaves" })
	void whatAnInterceptorWroteAndTheHandlerTookBackStaysAway(String kind) {
		Answer plain = this.server.post("/without/" + kind).send();
		String key = TestServer.newKey();
		Answer first = this.server.post("/with/" + kind).key(key).send();
		Answer again = this.server.post("/with/" + kind).key(key).send();
		assertThat(again.isReplay()).isTrue();
		assertThat(first.header("X-Interceptor")).isEqualTo(plain.header("X-Interceptor"));
		assertThat(again.header("X-Interceptor")).isEqualTo(plain.header("X-Interceptor"));
		assertThat(again.text()).isEqualTo(first.text());
	}

	@ParameterizedTest
	@CsvSource({ "late, 503, ''", "late-with-fallback, 200, the fallback" })
	void aTaskThatTimesOutAnswersAsItDoesAlone(String kind, int status, String text) {
		Answer plain = this.server.post("/without/" + kind).send();
		Answer answer = this.server.post("/with/" + kind).key(TestServer.newKey()).send();
		for (Answer either : List.of(plain, answer)) {
			assertThat(either.status()).as("%s", either).isEqualTo(status);
			assertThat(either.text()).contains(text);
		}
	}

	@Test
	void aTaskOfTheContainersLosesNoHeader() {
		for (int round = 0; round < ROUNDS; round++) {
			Race.run(CLIENTS, () -> {
				String key = TestServer.newKey();
				Answer first = this.server.post("/with/started").key(key).send();
				Answer again = this.server.post("/with/started").key(key).send();
				assertThat(again.isReplay()).as("%s", again).isTrue();
				for (Answer answer : List.of(first, again)) {
					assertThat(answer.header("X-First")).isEqualTo("first");
					assertThat(answer.header("X-Second")).isEqualTo("second");
					assertThat(answer.text()).isEqualTo("done");
				}
				assertThat(again.lastingHeaders()).isEqualTo(first.lastingHeaders());
				return null;
			});
		}
	}

	@Test
	void aHandlerThatIsIncludedAndRefusedMakesTheWholeAnswerAProblem() {
		Answer answer = this.server.post("/without/including").send();
		assertThat(answer.status()).as("%s", answer).isEqualTo(400);
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(answer.text()).startsWith("{").contains("urn:idempotency:key-missing");
	}

	@Test
	void trailersAreSentTheFirstTimeAndNotStored() throws IOException {
		String key = TestServer.newKey();
		assertThat(RawTrailers.of(this.server, "/without/trailers", key)).contains("x-sum: 42");
		assertThat(RawTrailers.of(this.server, "/with/trailers", key)).contains("x-sum: 42");
		Answer again = this.server.post("/with/trailers").key(key).send();
		assertThat(again.isReplay()).isTrue();
		assertThat(again.text()).isEqualTo("body");
	}

	/**
	 * Writes a header before every handler.
	 */
	static class Interceptors implements WebMvcConfigurer {

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
					response.setHeader("X-Interceptor", "interceptor");
					return true;
				}

			});
		}

	}

	@Controller
	@Idempotent
	@RequestMapping("/with")
	static class WithProtection extends Handlers {

		@PostMapping("/part")
		@ResponseBody
		String part() {
			return "part";
		}

	}

	@Controller
	@RequestMapping("/without")
	static class Without extends Handlers {

		@PostMapping("/including")
		void including(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			request.getRequestDispatcher("/with/part").include(request, response);
		}

	}

	abstract static class Handlers {

		@PostMapping("/removes")
		@ResponseBody
		String removes(HttpServletResponse response) {
			response.setHeader("X-Interceptor", null);
			return "removed";
		}

		@PostMapping("/resets")
		@ResponseBody
		String resets(HttpServletResponse response) {
			response.reset();
			return "reset";
		}

		@PostMapping("/replaces")
		@ResponseBody
		String replaces(HttpServletResponse response) {
			response.setHeader("X-Interceptor", "handler");
			return "replaced";
		}

		@PostMapping("/leaves")
		@ResponseBody
		String leaves() {
			return "left";
		}

		@PostMapping("/late")
		@ResponseBody
		WebAsyncTask<String> late() {
			return new WebAsyncTask<>(20L, Handlers::takeSeconds);
		}

		@PostMapping("/late-with-fallback")
		@ResponseBody
		WebAsyncTask<String> lateWithFallback() {
			WebAsyncTask<String> task = late();
			task.onTimeout(() -> "the fallback");
			return task;
		}

		/**
		 * Does not listen when it is told that its time is up.
		 */
		private static String takeSeconds() {
			long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
			for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
				Thread.interrupted();
				LockSupport.parkNanos(end - now);
			}
			return "the result";
		}

		@PostMapping("/started")
		void started(HttpServletRequest request, HttpServletResponse response) {
			AsyncContext context = request.startAsync(request, response);
			context.start(() -> {
				try {
					response.setHeader("X-First", "first");
					response.setContentType("text/plain");
					response.setHeader("X-Second", "second");
					response.getOutputStream().write("done".getBytes(StandardCharsets.UTF_8));
					context.complete();
				}
				catch (IOException ex) {
					throw new IllegalStateException(ex);
				}
			});
		}

		@PostMapping("/trailers")
		void trailers(HttpServletResponse response) throws IOException {
			response.setTrailerFields(() -> Map.of("x-sum", "42"));
			response.getOutputStream().write("body".getBytes(StandardCharsets.UTF_8));
		}

	}

}
