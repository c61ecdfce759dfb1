package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Idempotent;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
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
	 * With a {@code ReadListener}, which may continue on another thread, and a
	 * {@code WriteListener}.
	 */
	@ParameterizedTest
	@CsvSource({ "listens, 0", "listens, 10", "listens, 300000", "listens-aside, 0", "listens-aside, 10",
			"listens-aside, 300000" })
	void aHandlerThatReadsAndWritesWithoutBlockingGetsEveryByteOnce(String kind, int length) {
		byte[] body = new byte[length];
		new Random(length).nextBytes(body);
		String expected = "%d bytes %d, all read once".formatted(length, Arrays.hashCode(body));
		Answer plain = this.server.post("/without/" + kind).body("application/x-odd", body).send();
		assertThat(plain.text()).isEqualTo(expected);
		String key = TestServer.newKey();
		for (boolean replay : List.of(false, true)) {
			Answer answer = this.server.post("/with/" + kind).key(key).body("application/x-odd", body).send();
			assertThat(answer.isReplay()).isEqualTo(replay);
			assertThat(answer.text()).isEqualTo(expected);
		}
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

		@PostMapping("/listens")
		void listens(HttpServletRequest request, HttpServletResponse response) throws IOException {
			listen(request.startAsync(request, response), Runnable::run);
		}

		@PostMapping("/listens-aside")
		void listensAside(HttpServletRequest request, HttpServletResponse response) throws IOException {
			listen(request.startAsync(request, response), (task) -> new Thread(task, "reads-aside").start());
		}

		private static void listen(AsyncContext context, Executor readers) throws IOException {
			ServletInputStream in = context.getRequest().getInputStream();
			in.setReadListener(new Reading(context, in, readers));
		}

		@PostMapping("/trailers")
		void trailers(HttpServletResponse response) throws IOException {
			response.setTrailerFields(() -> Map.of("x-sum", "42"));
			response.getOutputStream().write("body".getBytes(StandardCharsets.UTF_8));
		}

	}

	/**
	 * Reads the body a thousand bytes at a time, and answers when all is read.
	 */
	static final class Reading implements ReadListener {

		private final AsyncContext context;

		private final ServletInputStream in;

		private final Executor readers;

		private final ByteArrayOutputStream body = new ByteArrayOutputStream();

		private final AtomicInteger ends = new AtomicInteger();

		Reading(AsyncContext context, ServletInputStream in, Executor readers) {
			this.context = context;
			this.in = in;
			this.readers = readers;
		}

		@Override
		public void onDataAvailable() {
			this.readers.execute(this::read);
		}

		private void read() {
			byte[] buffer = new byte[1000];
			try {
				while (this.in.isReady() && !this.in.isFinished()) {
					int count = this.in.read(buffer);
					this.body.write(buffer, 0, Math.max(0, count));
				}
			}
			catch (IOException ex) {
				onError(ex);
			}
		}

		@Override
		public void onAllDataRead() throws IOException {
			this.ends.incrementAndGet();
			ServletOutputStream out = this.context.getResponse().getOutputStream();
			out.setWriteListener(new WriteListener() {

				private boolean written;

				@Override
				public void onWritePossible() throws IOException {
					if (!this.written) {
						this.written = true;
						out.write(answer());
					}
					if (out.isReady()) {
						Reading.this.context.complete();
					}
				}

				@Override
				public void onError(Throwable failure) {
					Reading.this.context.complete();
				}

			});
		}

		private byte[] answer() {
			byte[] bytes = this.body.toByteArray();
			String ended = (this.ends.get() == 1) ? "once" : "%d times".formatted(this.ends.get());
			return "%d bytes %d, all read %s".formatted(bytes.length, Arrays.hashCode(bytes), ended)
				.getBytes(StandardCharsets.UTF_8);
		}

		@Override
		public void onError(Throwable failure) {
			this.context.complete();
		}

	}

}
