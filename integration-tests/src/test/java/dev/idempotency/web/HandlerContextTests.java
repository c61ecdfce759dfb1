package dev.idempotency.web;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a handler knows of its operation, and what it can say about it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HandlerContextTests {

	@AutoClose
	private final TestServer server = start(
			List.of(WebTestApplication.class, Witness.class, ServletWitness.class, Contexts.class, Deep.class),
			"spring.task.execution.pool.core-size=1", "spring.task.execution.pool.max-size=1");

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@Test
	void givesAHandlerItsContext() {
		String key = TestServer.newKey();
		Answer answer = this.server.post("/contexts/argument").key(key).send();
		assertThat(answer.text()).isEqualTo("POST /contexts/argument %s 1 false same".formatted(key));
	}

	@Test
	void givesAHandlerItsContextWhereThereIsOne() {
		assertThat(this.server.post("/contexts/optional").key(TestServer.newKey()).send().text()).isEqualTo("true");
		assertThat(this.server.post("/contexts/optional").send().text()).isEqualTo("false");
		assertThat(this.server.post("/contexts/nullable").key(TestServer.newKey()).send().text()).isEqualTo("true");
		assertThat(this.server.post("/contexts/nullable").send().text()).isEqualTo("false");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void saysWhatToWriteWhereThereIsNoContext(CapturedOutput output) {
		assertThat(this.server.post("/contexts/unprotected").send().status()).isEqualTo(500);
		assertThat(output).contains("write Optional<IdempotencyContext>");
	}

	@Test
	void knowsTheContextDeepInsideTheOperation() {
		String key = TestServer.newKey();
		assertThat(this.server.post("/contexts/deep").key(key).send().text()).isEqualTo(key);
	}

	@Test
	void knowsTheContextInATaskOnAnotherThread() {
		String key = TestServer.newKey();
		assertThat(this.server.post("/contexts/task").key(key).send().text()).isEqualTo(key);
		// There is only one thread for tasks
		assertThat(this.server.post("/contexts/other-task").send().text()).isEqualTo("false");
	}

	@ParameterizedTest
	@ValueSource(strings = { "argument", "task", "fails" })
	void forgetsTheContextAfterTheRequest(String path) throws InterruptedException {
		Witness witness = this.server.bean(Witness.class);
		witness.forget();
		this.server.post("/contexts/" + path).key(TestServer.newKey()).send();
		assertThat(witness.sawAContext()).isFalse();
	}

	@Test
	void answersWithTheEffectThatTheHandlerNames() {
		String key = TestServer.newKey();
		assertThat(this.server.post("/contexts/effect").key(key).send().effect()).isEqualTo("updated");
		assertThat(this.server.post("/contexts/effect").key(key).send().effect()).isEqualTo("noop");
		assertThat(this.server.post("/contexts/declared-effect").key(key).send().effect()).isEqualTo("deleted");
	}

	@Test
	void storesNothingWhereTheHandlerSaysSo() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/contexts/do-not-store").key(key).send();
		Answer second = this.server.post("/contexts/do-not-store").key(key).send();
		assertThat(first.status()).isEqualTo(200);
		assertThat(second.isReplay()).isFalse();
		assertThat(second.text()).isNotEqualTo(first.text());
	}

	@Test
	void protectsNothingAndBreaksNothingWhenSwitchedOff() {
		try (TestServer off = start(List.of(WebTestApplication.class, Contexts.class, Deep.class),
				"idempotency.enabled=false")) {
			String key = TestServer.newKey();
			for (int i = 1; i <= 2; i++) {
				Answer route = off.post("/kinds/route").key(key).send();
				assertThat(route.status()).isEqualTo(201);
				assertThat(route.headers()).doesNotContainKeys("Idempotency-Effect", "Idempotent-Replayed");
				assertThat(off.executions().of("route")).isEqualTo(i);
				assertThat(off.post("/contexts/optional").key(key).send().text()).isEqualTo("false");
			}
		}
	}

	@Service
	static class Deep {

		String key() {
			return IdempotencyContext.current().key().value();
		}

	}

	@RestController
	@RequestMapping("/contexts")
	@Idempotent
	record Contexts(Executions executions, Deep deep) {

		@PostMapping("/argument")
		String argument(IdempotencyContext context) {
			return "%s %s %d %s %s".formatted(context.key().scope().operation(), context.key().value(),
					context.attempt(), context.mayHaveRun(),
					(context == IdempotencyContext.current()) ? "same" : "another");
		}

		@PostMapping("/optional")
		@Idempotent(required = false)
		String optional(Optional<IdempotencyContext> context) {
			return String.valueOf(context.isPresent());
		}

		@PostMapping("/nullable")
		@Idempotent(required = false)
		String nullable(@Nullable IdempotencyContext context) {
			return String.valueOf(context != null);
		}

		@PostMapping("/unprotected")
		@Idempotent(enabled = false)
		String unprotected(IdempotencyContext context) {
			return "never";
		}

		@PostMapping("/deep")
		String keyFromDeep() {
			return this.deep.key();
		}

		@PostMapping("/task")
		Callable<String> task() {
			return this.deep::key;
		}

		@PostMapping("/other-task")
		@Idempotent(enabled = false)
		Callable<String> otherTask() {
			return () -> String.valueOf(IdempotencyContext.find().isPresent());
		}

		@PostMapping("/fails")
		void fail() {
			throw new IllegalStateException("fails");
		}

		@PostMapping("/effect")
		String effect(IdempotencyContext context) {
			context.effect(Effect.UPDATED);
			return "updated";
		}

		@PostMapping("/declared-effect")
		@Idempotent(effect = Effect.DELETED)
		String declaredEffect() {
			return "deleted";
		}

		@PostMapping("/do-not-store")
		String doNotStore(IdempotencyContext context) {
			context.doNotStore();
			return this.executions.next("do-not-store");
		}

	}

	/**
	 * Remembers whether there was a context when everyone else was done with the request.
	 */
	static class Witness {

		private final BlockingQueue<Boolean> contextsAfterwards = new LinkedBlockingQueue<>();

		void forget() {
			this.contextsAfterwards.clear();
		}

		@Nullable Boolean sawAContext() throws InterruptedException {
			return this.contextsAfterwards.poll(30, TimeUnit.SECONDS);
		}

		void look() {
			this.contextsAfterwards.add(IdempotencyContext.find().isPresent());
		}

	}

	@Order(Ordered.HIGHEST_PRECEDENCE)
	record ServletWitness(Witness witness) implements Filter {

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			try {
				chain.doFilter(request, response);
			}
			finally {
				this.witness.look();
			}
		}

	}

}
