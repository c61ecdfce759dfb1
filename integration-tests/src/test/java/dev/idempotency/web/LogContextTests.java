package dev.idempotency.web;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.ResultType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the log of an operation shows of its key.
 */
class LogContextTests {

	@AutoClose
	private static final TestServer server = TestServer.start(List.of(Application.class));

	private static void assertShownAndNotLeft(String path) {
		Answer answer = server.post(path).key("a-secret").send();
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.text()).matches("([0-9a-f]{12}) \\1");
		assertThat(server.bean(Leftovers.class).seen).isNotEmpty().containsOnly("nothing");
	}

	@Test
	void showsItWhileAHandlerRuns() {
		assertShownAndNotLeft("/handler");
	}

	@Test
	void showsItWhereTheTaskOfAHandlerRuns() {
		assertShownAndNotLeft("/task");
	}

	@Test
	void showsItWhileACallRunsByHandAndThenWhatWasThereBefore() {
		Idempotency idempotency = server.bean(Idempotency.class);
		IdempotencyKey outer = IdempotencyKey.of("outer", "1");
		IdempotencyKey inner = IdempotencyKey.of("inner", "1");
		List<String> seen = idempotency.<List<String>, RuntimeException>execute(outer, new ResultType<List<String>>() {
		}, () -> {
			String before = shown();
			String within = idempotency.execute(inner, String.class, LogContextTests::shown);
			return List.of(before, within, shown());
		});
		String outerHash = outer.within("test").hash();
		assertThat(seen).containsExactly(outerHash, inner.within("test").hash(), outerHash);
		assertThat(MDC.get("idempotency.key")).isNull();
	}

	@Test
	void showsItWhileAMethodRuns() {
		assertThat(server.bean(Payments.class).method("1")).matches("([0-9a-f]{12}) \\1");
		assertThat(MDC.get("idempotency.key")).isNull();
	}

	private static String shown() {
		return String.valueOf(MDC.get("idempotency.key"));
	}

	private static String shownAndTrue() {
		return shown() + " " + IdempotencyContext.current().key().hash();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Handlers.class, Payments.class })
	static class Application {

		@Bean
		Leftovers leftovers() {
			return new Leftovers();
		}

	}

	@RestController
	@Idempotent
	static class Handlers {

		@PostMapping("/handler")
		String handler() {
			return shownAndTrue();
		}

		@PostMapping("/task")
		Callable<String> task() {
			return LogContextTests::shownAndTrue;
		}

	}

	static class Payments {

		@Idempotent(key = "#id")
		public String method(String id) {
			return shownAndTrue();
		}

	}

	/**
	 * Looks at what is left on the thread of a request.
	 */
	static final class Leftovers extends OncePerRequestFilter {

		private final Queue<String> seen = new ConcurrentLinkedQueue<>();

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			chain.doFilter(request, response);
			@Nullable Map<String, String> left = MDC.getCopyOfContextMap();
			this.seen.add((left != null) ? left.getOrDefault("idempotency.key", "nothing") : "nothing");
		}

	}

}
