package dev.idempotency.web;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.Race;
import dev.idempotency.webflux.EventLoops;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients of WebFlux that hang up at any moment, and many who wait.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReactiveHangUpTests {

	private static final int AT_ONCE = 10;

	private static final int ROUNDS = LongRun.choose(20, 5000);

	private static final int WAITING = 500;

	@AutoClose
	private final TestServer server = Reactive.start(
			List.of(WebTestApplication.class, Gates.class, MovableStore.class, Slow.class),
			"idempotency.http.max-response-body=100KB");

	@AutoClose
	private final TestServer plain = Reactive.start(List.of(WebTestApplication.class, Gates.class, Slow.class),
			"idempotency.memory.max-size=1GB");

	private static Stream<String> paths() {
		return Stream.concat(
				ReactiveKinds.KINDS.stream().map((kind) -> "/kinds/" + kind.substring(0, kind.indexOf(' '))),
				Stream.of("/kinds/sse", "/slow-mono", "/slow-flux", "/slow-sse", "/slow-error", "/endless"));
	}

	/**
	 * How long a handler of some kind takes depends on chance as well.
	 */
	@ParameterizedTest
	@MethodSource("paths")
	void whoHangsUpAtAnyMomentMakesNothingRunTwice(String path) {
		String name = path.substring(path.lastIndexOf('/') + 1);
		for (int round = 0; round < ROUNDS; round += AT_ONCE) {
			int before = this.plain.executions().of(name);
			AtomicInteger number = new AtomicInteger();
			Race.run(AT_ONCE, () -> {
				String key = TestServer.newKey();
				Wire wire = Wire.post(this.plain, path, key);
				pause(500 * (1 + number.getAndIncrement() % 5));
				wire.hangUp();
				if (path.equals("/endless")) {
					assertThatItStops(path, key);
				}
				else {
					assertThatTheAnswerStays(path, key);
				}
				return key;
			});
			assertThat(this.plain.executions().of(name)).as("round %d", round).isEqualTo(before + AT_ONCE);
		}
	}

	private void assertThatTheAnswerStays(String path, String key) {
		Answer retry = await().atMost(Duration.ofSeconds(30))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(2))
			.until(() -> this.plain.post(path).key(key).send(),
					(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
		Answer again = this.plain.post(path).key(key).send();
		if (again.isReplay()) {
			assertThat(again.status()).isEqualTo(retry.status());
			assertThat(again.body()).isEqualTo(retry.body());
		}
		else {
			again.assertProblem(409, "not-replayable");
		}
	}

	/**
	 * If the first request did not get as far as its handler, the next one does, and
	 * hangs up as well.
	 */
	private void assertThatItStops(String path, String key) {
		await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50)).until(() -> {
			Wire wire = Wire.post(this.plain, path, key);
			String problem = (wire.readHead().status() == 409) ? wire.readToEnd() : "";
			wire.hangUp();
			return problem;
		}, (problem) -> problem.contains("urn:idempotency:not-replayable"));
	}

	/**
	 * Nobody would ever read its end.
	 */
	@Test
	void anEndlessStreamIsStoppedAndDoesNotRunAgain() throws Exception {
		String key = TestServer.newKey();
		int before = this.plain.executions().of("endless");
		Wire wire = Wire.post(this.plain, "/endless", key);
		wire.readHead();
		wire.read(100);
		this.plain.post("/endless").key(key).send().assertInProgress();
		wire.hangUp();
		Answer retry = await().atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(20))
			.until(() -> this.plain.post("/endless").key(key).send(),
					(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
		retry.assertProblem(409, "not-replayable");
		assertThat(this.plain.executions().of("endless")).isEqualTo(before + 1);
	}

	@Test
	void losesNoBufferOfRequestsThatAreCancelled() {
		List<String> paths = List.of("/kinds/large", "/kinds/flux", "/kinds/binary", "/slow-flux", "/echo");
		int count = LongRun.choose(300, 10_000);
		IntStream.range(0, count / AT_ONCE).forEach((round) -> Race.run(AT_ONCE, () -> {
			int choice = ThreadLocalRandom.current().nextInt(3 * paths.size());
			String path = paths.get(choice % paths.size());
			RawClient client = RawClient.post(this.plain, path).header("Idempotency-Key", TestServer.newKey());
			switch (choice / paths.size()) {
				case 0 -> client.cutOff("text/plain", 40_000, "x".repeat(20_000));
				case 1 -> client.cutOff("text/plain", 40_000, "x".repeat(40_000));
				default -> client.chunked("text/plain", "x".repeat(40_000));
			}
			client.sendAndHangUp();
			return path;
		}));
		// Whatever was going on has come to its end
		assertThat(this.plain.post("/echo").key(TestServer.newKey()).body("text/plain", "end").send().text())
			.isEqualTo("3");
		EventLoops.check();
	}

	/**
	 * The end of the response waits for the store when the client disconnects.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/long?size=300000", "/long?size=50000", "/long-groups?size=50000" })
	void losesNoBufferOfAResponseThatWaitsForTheStore(String path) {
		this.server.bean(MovableStore.class).plan((verb) -> {
			if (verb == StoreVerb.COMPLETE) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
			}
			return Fault.NONE;
		});
		try {
			for (int i = 0; i < LongRun.choose(100, 3000); i++) {
				Wire wire = Wire.post(this.server, path, TestServer.newKey());
				pause(10_000);
				wire.hangUp();
			}
		}
		finally {
			this.server.bean(MovableStore.class).mend();
		}
		assertThat(this.server.post("/echo").key(TestServer.newKey()).body("text/plain", "end").send().text())
			.isEqualTo("3");
		EventLoops.check();
	}

	@Test
	void manyWhoWaitNeedFewThreads() throws Exception {
		Gates gates = this.server.bean(Gates.class);
		MovableStore store = this.server.bean(MovableStore.class);
		String key = TestServer.newKey();
		Wire first = Wire.post(this.server, "/awaited", key);
		gates.await("awaited runs");
		int claims = store.calls(StoreVerb.CLAIM);
		int threads = Thread.getAllStackTraces().size();
		List<Wire> waiting = Stream.generate(() -> Wire.post(this.server, "/awaited", key)).limit(WAITING).toList();
		await().atMost(Duration.ofSeconds(60)).until(() -> store.calls(StoreVerb.CLAIM) >= claims + WAITING);
		assertThat(Thread.getAllStackTraces().size()).isLessThan(threads + 25);
		assertThat(this.server.post("/slow-mono").key(TestServer.newKey()).send().status()).isEqualTo(200);
		gates.open("awaited");
		assertThat(first.readHead().status()).isEqualTo(201);
		String receipt = first.readToEnd();
		for (Wire wire : waiting) {
			assertThat(wire.readHead().status()).isEqualTo(201);
			assertThat(wire.header("Idempotent-Replayed")).isEqualTo("true");
			assertThat(wire.readToEnd()).isEqualTo(receipt);
			wire.close();
		}
		first.close();
	}

	private static void pause(int maxMicros) {
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(1, maxMicros)));
	}

	/**
	 * Handlers that take their time.
	 */
	@RestController
	@Idempotent
	record Slow(Executions executions, Gates gates) {

		private Mono<String> next(String name) {
			return Mono.fromCallable(() -> this.executions.next(name)).delayElement(moment());
		}

		private static Duration moment() {
			return Duration.ofNanos(ThreadLocalRandom.current().nextInt(2_000_000));
		}

		@PostMapping("/slow-mono")
		Mono<String> mono() {
			return next("slow-mono");
		}

		@PostMapping("/slow-error")
		Mono<String> error() {
			return next("slow-error").flatMap((text) -> Mono.error(new HandlerKinds.AdvisedException(text)));
		}

		@PostMapping(path = "/slow-flux", produces = MediaType.APPLICATION_NDJSON_VALUE)
		Flux<HandlerKinds.Receipt> flux() {
			return next("slow-flux").flatMapMany((text) -> Flux.range(1, 10)
				.delayElements(moment().dividedBy(5))
				.map((number) -> new HandlerKinds.Receipt(text, number, List.of())));
		}

		@PostMapping("/slow-sse")
		Flux<ServerSentEvent<String>> sse() {
			return next("slow-sse").flatMapMany((text) -> Flux.range(1, 10)
				.delayElements(moment().dividedBy(5))
				.map((number) -> ServerSentEvent.builder(text + number).build()));
		}

		@PostMapping(path = "/endless", produces = MediaType.APPLICATION_NDJSON_VALUE)
		Flux<HandlerKinds.Receipt> endless() {
			return next("endless").flatMapMany((text) -> Flux.interval(Duration.ofMillis(1))
				.onBackpressureDrop()
				.map((number) -> new HandlerKinds.Receipt(text + "x".repeat(10_000), number.intValue(), List.of())));
		}

		@PostMapping("/long")
		ResponseEntity<Flux<DataBuffer>> longOne(int size, ServerHttpResponse response) {
			return ResponseEntity.ok().contentLength(size).body(parts(size, response));
		}

		@PostMapping("/long-groups")
		Mono<Void> longGroups(int size, ServerHttpResponse response) {
			response.getHeaders().setContentLength(size);
			return response.writeAndFlushWith(Flux.range(0, size / 5000).map((number) -> parts(5000, response)));
		}

		private static Flux<DataBuffer> parts(int size, ServerHttpResponse response) {
			return Flux.range(0, size / 5000).map((number) -> Reactive.buffer(response, "x".repeat(5000)));
		}

		@PostMapping("/echo")
		Mono<String> echo(@RequestBody String text) {
			return Mono.just(String.valueOf(text.length()));
		}

		@PostMapping("/awaited")
		@Idempotent(onConflict = OnConflict.WAIT, waitTimeout = "60s")
		Mono<ResponseEntity<String>> awaited() {
			return Mono.fromCallable(() -> this.executions.next("awaited"))
				.doOnNext((text) -> this.gates.open("awaited runs"))
				.delayUntil((text) -> this.gates.passing("awaited"))
				.map((text) -> ResponseEntity.status(201).body(text));
		}

	}

}
