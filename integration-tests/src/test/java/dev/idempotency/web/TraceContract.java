package dev.idempotency.web;

import java.util.List;
import java.util.concurrent.Callable;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the traces of calls tell, whatever store remembers them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TraceContract {

	private static final AttributeKey<String> FIRST_TRACE = AttributeKey.stringKey("idempotency.first.trace");

	private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("outcome");

	private static final AttributeKey<String> COMPLETION = AttributeKey.stringKey("completion");

	@AutoClose
	private TestServer server;

	/**
	 * Starts the application on a store.
	 * @param application the application
	 * @param properties its settings
	 */
	abstract TestServer start(Class<?> application, String... properties);

	@BeforeAll
	void start() {
		this.server = start(Application.class, "management.tracing.sampling.probability=1.0");
	}

	@BeforeEach
	void forget() {
		spans().clear();
	}

	private Spans spans() {
		return this.server.bean(Spans.class);
	}

	/**
	 * The spans with a name, once there are as many.
	 */
	private List<SpanData> spans(String name, int count) {
		return await().until(() -> spans().named(name), (found) -> found.size() == count);
	}

	@Test
	void pointsFromTheTraceOfTheSecondCallToThatOfTheFirst() {
		String key = TestServer.newKey();
		assertThat(this.server.post("/pay").key(key).body("text/plain", "my secret body").send().status())
			.isEqualTo(200);
		assertThat(this.server.post("/pay").key(key).body("text/plain", "my secret body").send().isReplay()).isTrue();
		List<SpanData> calls = spans("http post /pay", 2);
		SpanData execution = spans("idempotency POST /pay", 2).get(0);
		SpanData replay = spans("idempotency POST /pay", 2).get(1);
		SpanData first = calls.get(0);
		SpanData second = calls.get(1);
		assertThat(first.getTraceId()).isNotEqualTo(second.getTraceId());
		assertThat(replay.getParentSpanId()).isEqualTo(second.getSpanId());
		assertThat(replay.getLinks()).singleElement().extracting(LinkData::getSpanContext).satisfies((link) -> {
			assertThat(link.getTraceId()).isEqualTo(first.getTraceId());
			assertThat(link.getSpanId()).isEqualTo(first.getSpanId());
		});
		assertThat(replay.getAttributes().get(FIRST_TRACE)).isEqualTo(first.getTraceId());
		assertThat(replay.getAttributes().get(OUTCOME)).isEqualTo("replayed");
		assertThat(execution.getParentSpanId()).isEqualTo(first.getSpanId());
		assertThat(execution.getLinks()).isEmpty();
		assertThat(execution.getAttributes().get(OUTCOME)).isEqualTo("executed");
		assertThat(execution.getAttributes().get(COMPLETION)).isEqualTo("stored");
		assertThat(execution.getAttributes().get(FIRST_TRACE)).isNull();
		assertThat(spans().all()).extracting((span) -> span.getName() + span.getAttributes() + span.getEvents())
			.noneMatch((text) -> text.contains(key) || text.contains("secret"));
	}

	@Test
	void beginsBeforeTheHandlerAndEndsAfterIt() {
		this.server.post("/pay").key(TestServer.newKey()).body("text/plain", "x").send();
		SpanData work = spans("work", 1).get(0);
		SpanData execution = spans("idempotency POST /pay", 1).get(0);
		SpanData call = spans("http post /pay", 1).get(0);
		assertThat(execution.getStartEpochNanos()).isLessThanOrEqualTo(work.getStartEpochNanos());
		assertThat(execution.getEndEpochNanos()).isGreaterThanOrEqualTo(work.getEndEpochNanos())
			.isLessThanOrEqualTo(call.getEndEpochNanos());
		assertThat(work.getParentSpanId()).as("the caller's scope is left alone").isEqualTo(call.getSpanId());
	}

	@Test
	void followsAHandlerToAnotherThread() {
		String key = TestServer.newKey();
		this.server.post("/later").key(key).send();
		assertThat(this.server.post("/later").key(key).send().isReplay()).isTrue();
		SpanData first = spans("http post /later", 2).get(0);
		List<SpanData> attempts = spans("idempotency POST /later", 2);
		assertThat(attempts.get(0).getAttributes().get(COMPLETION)).isEqualTo("stored");
		assertThat(attempts.get(0).getParentSpanId()).isEqualTo(first.getSpanId());
		assertThat(attempts.get(1).getLinks()).singleElement()
			.satisfies((link) -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(first.getSpanId()));
	}

	@Test
	void needsNoTraceAroundACall() {
		Idempotency idempotency = this.server.bean(Idempotency.class);
		IdempotencyKey key = IdempotencyKey.of("by hand", TestServer.newKey());
		idempotency.execute(key, String.class, () -> "done");
		idempotency.execute(key, String.class, () -> "done");
		List<SpanData> attempts = spans("idempotency by hand", 2);
		assertThat(attempts).allSatisfy((span) -> assertThat(span.getParentSpanContext().isValid()).isFalse());
		assertThat(attempts.get(1).getLinks()).isEmpty();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class Application {

		@Bean
		Spans spans() {
			return new Spans();
		}

	}

	@RestController
	@Idempotent
	record Handlers(Tracer tracer) {

		@PostMapping("/pay")
		String pay(@RequestBody String body) {
			this.tracer.nextSpan().name("work").start().end();
			return "paid " + body.length();
		}

		@PostMapping("/later")
		Callable<String> later() {
			return () -> "paid";
		}

	}

}
