package dev.idempotency.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Filters of WebFlux that repeat, time out, cancel or dispatch again what is behind them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReactiveFiltersTests {

	@TempDir
	static Path folder;

	@AutoClose
	private final TestServer server = Reactive
		.start(List.of(WebTestApplication.class, Gates.class, MovableStore.class, Endpoints.class, Filters.class));

	private final Gates gates = this.server.bean(Gates.class);

	private final MovableStore store = this.server.bean(MovableStore.class);

	private final Endpoints endpoints = this.server.bean(Endpoints.class);

	private final Filters filters = this.server.bean(Filters.class);

	private int runs(String key) {
		return this.server.executions().of(key);
	}

	private Answer post(String path, String filter, String key) {
		return this.server.post(path).key(key).header("X-Filter", filter).send();
	}

	// Before the decision

	/**
	 * Nothing may run for it: it has no claim.
	 */
	private static String keyOf(HttpHeaders headers) {
		return Objects.requireNonNull(headers.getFirst("Idempotency-Key"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ordinary", "deaf" })
	void whoHangsUpBeforeTheDecisionRunsNothingUnprotected(String filter) {
		for (int i = 0; i < 20; i++) {
			String key = TestServer.newKey();
			this.gates.passing(key);
			SocketWire wire = SocketWire.post(this.server, "/held/" + filter, key);
			await().until(() -> this.filters.seen.contains(key));
			wire.hangUp();
			await().until(() -> this.filters.left.contains(key));
			this.gates.open(key);
			Answer retry = this.server.post("/held/none").key(key).send();
			assertThat(retry.status()).as("%s", retry).isEqualTo(200);
			await().pollDelay(Duration.ofMillis(20)).until(() -> true);
			assertThat(runs(key)).isEqualTo(1);
		}
	}

	// Again

	@ParameterizedTest
	@ValueSource(strings = { "/create", "/create-route", "/void" })
	void aFilterThatDispatchesAgainRunsNothingTwice(String path) {
		String key = TestServer.newKey();
		Answer first = post(path, "again", key);
		assertThat(first.status()).isEqualTo(201);
		assertThat(runs(key)).isEqualTo(1);
		for (int i = 0; i < 3; i++) {
			post(path, "again", key).assertExactReplayOf(first);
		}
		assertThat(runs(key)).isEqualTo(1);
	}

	@Test
	void aFilterThatDispatchesAgainIsRefusedAgain() {
		String key = TestServer.newKey();
		this.server.post("/create").key(key).body("text/plain", "one").send();
		Answer refused = this.server.post("/create")
			.key(key)
			.header("X-Filter", "again")
			.body("text/plain", "two")
			.send();
		refused.assertProblem(422, "key-reused");
		assertThat(runs(key)).isEqualTo(1);
	}

	@Test
	void eachPartOfABatchIsARequestOfItsOwn() {
		String first = TestServer.newKey();
		String second = TestServer.newKey();
		Answer answer = this.server.post("/batch").header("X-Keys", first + " " + second + " " + first).send();
		String[] parts = answer.text().split("\n");
		assertThat(parts).hasSize(3);
		assertThat(parts[0]).startsWith("201 created " + first);
		assertThat(parts[1]).startsWith("201 created " + second);
		assertThat(parts[2]).isEqualTo(parts[0].replace("created", "noop"));
		assertThat(this.server.post("/batch").header("X-Keys", second + " " + first).send().text().split("\n"))
			.containsExactly(parts[1].replace("created", "noop"), parts[2]);
		assertThat(runs(first)).isEqualTo(1);
		assertThat(runs(second)).isEqualTo(1);
	}

	@Test
	void eachRouteOfABatchIsARequestOfItsOwn() {
		String first = TestServer.newKey();
		String second = TestServer.newKey();
		for (int i = 0; i < 2; i++) {
			Answer answer = this.server.post("/batch?path=/create-route").header("X-Keys", first + " " + second).send();
			assertThat(answer.text().lines()).hasSize(2).allSatisfy((part) -> assertThat(part).startsWith("201 "));
		}
		assertThat(runs(first)).isEqualTo(1);
		assertThat(runs(second)).isEqualTo(1);
	}

	/**
	 * The first try has released the key, so the second one needs a claim of its own.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/fails-once", "/fails-once-late", "/fails-once-route" })
	void aFilterThatTriesAgainIsProtectedEachTime(String path) {
		String key = TestServer.newKey();
		Answer first = post(path, "retry", key);
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		assertThat(first.effect()).isEqualTo("executed");
		assertThat(runs(key)).isEqualTo(2);
		this.server.post(path).key(key).send().assertExactReplayOf(first);
		assertThat(runs(key)).isEqualTo(2);
		assertThat(this.endpoints.together(key)).isOne();
	}

	@Test
	void aFilterThatTriesAgainInVainReleasesTheKey() {
		String key = TestServer.newKey();
		assertThat(post("/fails", "retry", key).status()).isEqualTo(500);
		assertThat(runs(key)).isEqualTo(2);
		assertThat(this.server.post("/fails").key(key).send().status()).isEqualTo(500);
		assertThat(runs(key)).isEqualTo(3);
	}

	// Timeouts

	@ParameterizedTest
	@CsvSource({ "/blocks,timeout", "/blocks,timeout-and-error", "/blocks-elastic,timeout", "/waits,timeout",
			"/waits,timeout-and-error", "/waits-route,timeout", "/waits-file,timeout" })
	void aRunThatAFilterGivesUpKeepsItsKey(String path, String filter) {
		String key = TestServer.newKey();
		Answer late = post(path, filter, key);
		if (filter.equals("timeout")) {
			assertThat(late.status()).as("%s", late).isEqualTo(504);
			assertThat(late.text()).isEqualTo("too late");
			assertThat(late.header("X-Of-Filter")).isEqualTo("yes");
			assertThat(late.header("X-Of-Handler")).isEmpty();
		}
		else {
			assertThat(late.status()).as("%s", late).isEqualTo(500);
		}
		this.server.post(path).key(key).send().assertInProgress();
		post(path, filter, key).assertInProgress();
		checkThatTheHandlerEndsAlone(path, key);
	}

	/**
	 * Without a cancellation before.
	 */
	@ParameterizedTest
	@CsvSource({ "/waits,race", "/waits,race-ok", "/waits,take-until", "/waits,alongside", "/waits-route,race",
			"/waits-route,alongside", "/waits-file,race", "/blocks,alongside" })
	void aFilterThatRespondsWhileTheHandlerRunsLeavesItItsKey(String path, String filter) {
		String key = TestServer.newKey();
		Answer early = post(path, filter, key);
		assertThat(early.status()).as("%s", early).isEqualTo(filter.endsWith("-ok") ? 200 : 504);
		assertThat(early.header("X-Of-Filter")).isEqualTo("yes");
		assertThat(early.header("X-Of-Handler")).isEmpty();
		this.server.post(path).key(key).send().assertInProgress();
		checkThatTheHandlerEndsAlone(path, key);
	}

	private void checkThatTheHandlerEndsAlone(String path, String key) {
		this.gates.open(key);
		Answer stored = await().until(() -> this.server.post(path).key(key).send(),
				(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
		assertThat(stored.status()).as("%s", stored).isEqualTo(201);
		assertThat(stored.isReplay()).isTrue();
		assertThat(stored.text()).startsWith(key + " no. 1 ");
		assertThat(stored.header("X-Of-Handler")).isEqualTo("yes");
		assertThat(stored.header("X-Of-Filter")).isEmpty();
		assertThat(runs(key)).isEqualTo(1);
	}

	@Test
	void aRunThatAFilterGivesUpAndThatFailsReleasesItsKey() {
		String key = TestServer.newKey();
		assertThat(post("/waits-and-fails", "timeout", key).status()).isEqualTo(504);
		this.server.post("/waits-and-fails").key(key).send().assertInProgress();
		this.gates.open(key);
		await().until(() -> this.server.post("/waits-and-fails").key(key).send(),
				(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
		assertThat(runs(key)).isEqualTo(2);
		assertThat(this.endpoints.together(key)).isOne();
	}

	/**
	 * Nothing of the response has been sent while it is stored.
	 */
	@Test
	void aFilterCanGiveUpWhileTheResponseIsStored() {
		String key = TestServer.newKey();
		String gate = "store " + key;
		this.store.plan((verb) -> {
			if (verb == StoreVerb.COMPLETE) {
				this.gates.await(gate);
			}
			return Fault.NONE;
		});
		try {
			Answer late = post("/create", "timeout", key);
			assertThat(late.status()).as("%s", late).isEqualTo(504);
		}
		finally {
			this.gates.open(gate);
			this.store.mend();
		}
		Answer stored = await().until(() -> this.server.post("/create").key(key).send(),
				(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
		assertThat(stored.isReplay()).as("%s", stored).isTrue();
		assertThat(stored.status()).isEqualTo(201);
		assertThat(runs(key)).isEqualTo(1);
	}

	// What filters see

	@Test
	void aFilterSeesTheStatusOfAReplay() {
		String key = TestServer.newKey();
		post("/create", "none", key);
		await().untilAsserted(() -> assertThat(this.filters.statuses).containsEntry(key, "201 true"));
		this.filters.statuses.clear();
		assertThat(post("/create", "none", key).isReplay()).isTrue();
		await().untilAsserted(() -> assertThat(this.filters.statuses).containsEntry(key, "201 true"));
	}

	@Test
	void anActionBeforeTheResponseIsRunOnceAndMayFail() {
		for (String path : List.of("/create", "/plain-create")) {
			String key = TestServer.newKey();
			// Reactor Netty may not serve the next request on such a connection
			Answer failed = this.server.post(path).key(key).header("X-Filter", "failing-commit").sendAlone();
			assertThat(failed.status()).as(path).isEqualTo(500);
			assertThat(failed.text()).as(path).contains("\"status\":500");
			assertThat(this.filters.commits.get(key)).as(path).hasValue(1);
		}
	}

	@Test
	void anActionOfTheHandlerBeforeTheResponseIsRunOnceAndMayFail() {
		String key = TestServer.newKey();
		Answer failed = this.server.post("/failing-commit").key(key).send();
		assertThat(failed.status()).isEqualTo(500);
		assertThat(failed.text()).contains("\"status\":500");
		assertThat(this.filters.commits.get(key)).hasValue(1);
	}

	@Test
	void anActionOfTheHandlerBeforeTheResponseChangesItsHead() {
		String key = TestServer.newKey();
		for (int i = 0; i < 2; i++) {
			Answer answer = this.server.post("/changed-by-action").key(key).send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(202);
			assertThat(answer.header("X-Of-Action")).isEqualTo("yes");
			assertThat(answer.isReplay()).isEqualTo(i > 0);
		}
	}

	/**
	 * Such as the one that saves a session.
	 */
	@Test
	void anActionBeforeTheResponseIsRunWithoutAClient() {
		String key = TestServer.newKey();
		SocketWire wire = SocketWire.post(this.server, "/waits?commit=" + key, key);
		this.gates.await(key + " runs");
		wire.hangUp();
		await().pollDelay(Duration.ofMillis(100)).until(() -> true);
		this.gates.open(key);
		await().untilAsserted(() -> assertThat(this.filters.commits.get(key)).hasValue(1));
		assertThat(this.server.post("/waits?commit=" + key).key(key).send().header("X-Of-Commit")).isEqualTo("once");
	}

	/**
	 * Handlers.
	 */
	@RestController
	static class Endpoints {

		private final Executions executions;

		private final Gates gates;

		private final Filters filters;

		private final ObjectProvider<DispatcherHandler> dispatcher;

		private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();

		private final Map<String, Integer> most = new ConcurrentHashMap<>();

		Endpoints(Executions executions, Gates gates, Filters filters, ObjectProvider<DispatcherHandler> dispatcher) {
			this.executions = executions;
			this.gates = gates;
			this.filters = filters;
			this.dispatcher = dispatcher;
		}

		int together(String key) {
			return this.most.getOrDefault(key, 0);
		}

		private Mono<String> run(String key) {
			return Mono.fromCallable(() -> {
				int now = this.running.computeIfAbsent(key, (it) -> new AtomicInteger()).incrementAndGet();
				this.most.merge(key, now, Math::max);
				return this.executions.next(key);
			});
		}

		private void ended(String key) {
			Objects.requireNonNull(this.running.get(key)).decrementAndGet();
		}

		private Mono<String> waiting(String key) {
			return run(key).delayUntil((text) -> {
				this.gates.open(key + " runs");
				return this.gates.passing(key);
			}).doOnTerminate(() -> ended(key));
		}

		private String blocking(String key) {
			String text = this.executions.next(key);
			this.gates.await(key);
			return text;
		}

		@Idempotent
		@PostMapping("/held/{filter}")
		Mono<String> held(IdempotencyContext context) {
			return run(context.key().value());
		}

		@Idempotent
		@PostMapping("/create")
		Mono<ResponseEntity<String>> create(IdempotencyContext context) {
			return run(context.key().value()).map(ResponseEntity.status(201)::body);
		}

		@PostMapping("/plain-create")
		Mono<ResponseEntity<String>> plain(@RequestHeader("Idempotency-Key") String key) {
			return run(key).map(ResponseEntity.status(201)::body);
		}

		@Idempotent
		@PostMapping("/void")
		Mono<Void> nothing(IdempotencyContext context, ServerHttpResponse response) {
			return run(context.key().value()).doOnNext((text) -> response.setStatusCode(HttpStatus.CREATED)).then();
		}

		@Idempotent
		@PostMapping("/failing-commit")
		Mono<ResponseEntity<String>> failingCommit(IdempotencyContext context, ServerHttpResponse response) {
			response.beforeCommit(() -> this.filters.failingCommit(context.key().value()));
			return create(context);
		}

		@Idempotent
		@PostMapping("/changed-by-action")
		Mono<String> changedByAction(IdempotencyContext context, ServerHttpResponse response) {
			response.beforeCommit(() -> Mono.fromRunnable(() -> {
				response.setStatusCode(HttpStatus.ACCEPTED);
				response.getHeaders().set("X-Of-Action", "yes");
			}));
			return run(context.key().value());
		}

		@Idempotent
		@PostMapping("/fails")
		Mono<String> fails(IdempotencyContext context) {
			return run(context.key().value()).doOnTerminate(() -> ended(context.key().value()))
				.flatMap((text) -> Mono.error(new IllegalStateException("as planned")));
		}

		@Idempotent
		@PostMapping("/fails-once")
		Mono<String> failsOnce(IdempotencyContext context) {
			return failsOnce(context.key().value());
		}

		@Idempotent
		@PostMapping("/fails-once-late")
		Mono<ResponseEntity<String>> failsOnceLate(IdempotencyContext context) {
			return failsOnce(context.key().value()).delaySubscription(Duration.ofMillis(5)).map(ResponseEntity::ok);
		}

		private Mono<String> failsOnce(String key) {
			return run(key).doOnTerminate(() -> ended(key)).map((text) -> {
				if (text.contains(" no. 1 ")) {
					throw new IllegalStateException("as planned");
				}
				return text;
			});
		}

		@Idempotent
		@PostMapping("/waits")
		Mono<ResponseEntity<String>> waits(IdempotencyContext context, ServerHttpResponse response) {
			return waiting(context.key().value()).map((text) -> {
				response.getHeaders().set("X-Of-Handler", "yes");
				response.setStatusCode(HttpStatus.CREATED);
				return ResponseEntity.status(201).body(text);
			});
		}

		@Idempotent
		@PostMapping("/waits-file")
		Mono<ResponseEntity<Resource>> waitsForFile(IdempotencyContext context) {
			return waiting(context.key().value()).publishOn(Schedulers.boundedElastic())
				.map((text) -> ResponseEntity.status(201).header("X-Of-Handler", "yes").body(file(text)));
		}

		private static Resource file(String text) {
			try {
				return new FileSystemResource(Files.writeString(folder.resolve("file"), text));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Idempotent
		@PostMapping("/waits-and-fails")
		Mono<String> waitsAndFails(IdempotencyContext context) {
			return waiting(context.key().value())
				.flatMap((text) -> Mono.error(new IllegalStateException("as planned")));
		}

		@Idempotent
		@PostMapping("/blocks")
		Mono<ResponseEntity<String>> blocks(IdempotencyContext context) {
			return Mono.fromCallable(() -> blocking(context.key().value()))
				.subscribeOn(Schedulers.boundedElastic())
				.map((text) -> ResponseEntity.status(201).header("X-Of-Handler", "yes").body(text));
		}

		@Idempotent
		@PostMapping("/blocks-elastic")
		Mono<ResponseEntity<String>> blocksElastic(IdempotencyContext context) {
			return Mono.just(context.key().value())
				.publishOn(Schedulers.boundedElastic())
				.map(this::blocking)
				.map((text) -> ResponseEntity.status(201).header("X-Of-Handler", "yes").body(text));
		}

		@Bean
		RouterFunction<ServerResponse> filteredRoutes(ReactiveIdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/create-route",
						(request) -> run(keyOf(request.headers().asHttpHeaders()))
							.flatMap((text) -> ServerResponse.status(201).bodyValue(text)))
				.POST("/fails-once-route",
						(request) -> failsOnce(keyOf(request.headers().asHttpHeaders()))
							.flatMap((text) -> ServerResponse.ok().bodyValue(text)))
				.POST("/waits-route",
						(request) -> waiting(keyOf(request.headers().asHttpHeaders())).flatMap(
								(text) -> ServerResponse.status(201).header("X-Of-Handler", "yes").bodyValue(text)))
				.filter(idempotency)
				.build();
		}

		/**
		 * Answers several requests at once, as batch endpoints do.
		 */
		@PostMapping("/batch")
		Mono<String> batch(ServerWebExchange exchange, @RequestHeader("X-Keys") String keys) {
			String path = exchange.getRequest().getQueryParams().toSingleValueMap().getOrDefault("path", "/create");
			return Flux.fromArray(keys.split(" ")).concatMap((key) -> {
				Part part = new Part(exchange.getResponse());
				return this.dispatcher.getObject()
					.handle(exchange.mutate()
						.request((request) -> request.path(path).header("Idempotency-Key", key))
						.response(part)
						.build())
					.then(Mono.fromSupplier(part::text));
			}).collectList().map((parts) -> String.join("\n", parts));
		}

	}

	/**
	 * The response of a part of a batch.
	 */
	static class Part extends ServerHttpResponseDecorator {

		private final HttpHeaders headers = new HttpHeaders();

		private final StringBuilder text = new StringBuilder();

		private HttpStatusCode status = HttpStatus.OK;

		Part(ServerHttpResponse delegate) {
			super(delegate);
		}

		String text() {
			return "%d %s %s".formatted(this.status.value(), this.headers.getFirst("Idempotency-Effect"), this.text);
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.headers;
		}

		@Override
		public boolean setStatusCode(@Nullable HttpStatusCode status) {
			this.status = (status != null) ? status : HttpStatus.OK;
			return true;
		}

		@Override
		public boolean setRawStatusCode(@Nullable Integer value) {
			return setStatusCode((value != null) ? HttpStatusCode.valueOf(value) : null);
		}

		@Override
		public HttpStatusCode getStatusCode() {
			return this.status;
		}

		@Override
		public boolean isCommitted() {
			return false;
		}

		@Override
		public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
			return DataBufferUtils.join(Flux.from(body)).doOnNext((buffer) -> {
				this.text.append(buffer.toString(StandardCharsets.UTF_8));
				DataBufferUtils.release(buffer);
			}).then();
		}

		@Override
		public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			return writeWith(Flux.from(body).concatMap((part) -> part));
		}

		@Override
		public Mono<Void> setComplete() {
			return Mono.empty();
		}

	}

	/**
	 * Filters, each of which a request can ask for.
	 */
	static class Filters {

		private final Set<String> seen = ConcurrentHashMap.newKeySet();

		private final Set<String> left = ConcurrentHashMap.newKeySet();

		private final Map<String, String> statuses = new ConcurrentHashMap<>();

		private final Map<String, AtomicInteger> commits = new ConcurrentHashMap<>();

		Mono<Void> failingCommit(String key) {
			return Mono.fromRunnable(() -> {
				this.commits.computeIfAbsent(key, (it) -> new AtomicInteger()).incrementAndGet();
				throw new IllegalStateException("a commit as planned");
			});
		}

		@Bean
		WebFilter statusFilter() {
			return (exchange, chain) -> chain.filter(exchange).doFinally((signal) -> {
				String key = exchange.getRequest().getHeaders().getFirst("Idempotency-Key");
				if (key != null) {
					this.statuses.put(key, Objects.requireNonNull(exchange.getResponse().getStatusCode()).value() + " "
							+ exchange.getResponse().isCommitted());
				}
			});
		}

		@Bean
		WebFilter heldFilter(Gates gates) {
			return (exchange, chain) -> {
				String path = exchange.getRequest().getPath().value();
				String key = exchange.getRequest().getHeaders().getFirst("Idempotency-Key");
				if (!path.startsWith("/held/") || path.endsWith("none") || key == null) {
					return chain.filter(exchange);
				}
				Mono<Void> held = Mono.fromCallable(() -> {
					this.seen.add(key);
					gates.await(key);
					return key;
				}).subscribeOn(Schedulers.boundedElastic()).flatMap((it) -> chain.filter(exchange));
				Mono<Void> deaf = path.endsWith("deaf")
						? Mono.create((sink) -> held.contextWrite(sink.contextView()).subscribe((it) -> {
						}, sink::error, sink::success)) : held;
				return deaf.doOnCancel(() -> this.left.add(key));
			};
		}

		@Bean
		WebFilter commitFilter() {
			return (exchange, chain) -> {
				String key = exchange.getRequest().getQueryParams().getFirst("commit");
				if (key != null) {
					exchange.getResponse().beforeCommit(() -> Mono.fromRunnable(() -> {
						this.commits.computeIfAbsent(key, (it) -> new AtomicInteger()).incrementAndGet();
						exchange.getResponse().getHeaders().add("X-Of-Commit", "once");
					}));
				}
				return chain.filter(exchange);
			};
		}

		@Bean
		WebFilter choice() {
			return (exchange, chain) -> {
				String chosen = exchange.getRequest().getHeaders().getFirst("X-Filter");
				return filter((chosen != null) ? chosen : "none", exchange, chain);
			};
		}

		private static Mono<Void> tooLate(ServerHttpResponse response) {
			response.setStatusCode(HttpStatus.GATEWAY_TIMEOUT);
			response.getHeaders().set("X-Of-Filter", "yes");
			return response.writeWith(Mono.fromSupplier(() -> Reactive.buffer(response, "too late")));
		}

		private static Mono<Void> late(String chosen, ServerWebExchange exchange) {
			return Mono.delay(Duration.ofMillis(300)).then(Mono.defer(() -> {
				ServerHttpResponse response = exchange.getResponse();
				if (!chosen.endsWith("-ok")) {
					return tooLate(response);
				}
				response.getHeaders().set("X-Of-Filter", "yes");
				return response.setComplete();
			}));
		}

		private Mono<Void> filter(String chosen, ServerWebExchange exchange, WebFilterChain chain) {
			return switch (chosen) {
				case "again" -> chain.filter(exchange).then(Mono.defer(() -> chain.filter(exchange)));
				case "retry" -> chain.filter(exchange).retry(1);
				case "timeout-and-error" -> chain.filter(exchange).timeout(Duration.ofMillis(300));
				case "timeout" -> chain.filter(exchange)
					.timeout(Duration.ofMillis(300))
					.onErrorResume(TimeoutException.class, (ex) -> tooLate(exchange.getResponse()));
				case "race", "race-ok" -> Mono.firstWithSignal(chain.filter(exchange), late(chosen, exchange));
				case "take-until" -> chain.filter(exchange).takeUntilOther(late(chosen, exchange));
				case "alongside" -> Mono.when(chain.filter(exchange), late(chosen, exchange));
				case "failing-commit" -> {
					exchange.getResponse().beforeCommit(() -> failingCommit(keyOf(exchange.getRequest().getHeaders())));
					yield chain.filter(exchange);
				}
				default -> chain.filter(exchange);
			};
		}

	}

}
