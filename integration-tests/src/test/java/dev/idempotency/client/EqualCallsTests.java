package dev.idempotency.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.client.Provider.Reply;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which of the equal calls of an operation is a retry, and which is made on purpose: one
 * rule for all clients, however they read responses.
 */
class EqualCallsTests {

	@AutoClose
	private final Provider provider = new Provider();

	private final Instance instance = new Instance();

	private final RestClient rest = Client.restClient(this.provider.url());

	private final RestTemplate template = Client.restTemplate();

	private final WebClient web = Client.webClient(this.provider.url());

	/**
	 * When the provider says nothing more, the callers lose patience.
	 */
	private CompletableFuture<Void> quiet = new CompletableFuture<>();

	/**
	 * What goes wrong before a response has come whole.
	 */
	private Map<String, Reply> failures() {
		return Map.of("lost", Reply.lost(), "cut", Reply.cut(), "503", Reply.of(503), "409", Reply.of(409), "401",
				Reply.of(401));
	}

	private Map<String, Reply> failuresOfReactor() {
		Map<String, Reply> failures = new LinkedHashMap<>(failures());
		failures.put("silent", Reply.silent(() -> this.quiet.complete(null)));
		failures.put("stalled", Reply.stalled(() -> this.quiet.complete(null)));
		return failures;
	}

	/**
	 * The ways in which blocking clients read a response.
	 */
	private Map<String, Function<String, Mono<?>>> blocking() {
		Function<String, RestClient.ResponseSpec> post = (
				charge) -> this.rest.post().uri("/charges").body(charge).retrieve();
		String url = this.provider.url() + "/charges";
		return Map.of("body", (charge) -> Mono.fromCallable(() -> post.apply(charge).body(String.class)), //
				"bodiless", (charge) -> Mono.fromCallable(() -> post.apply(charge).toBodilessEntity()), //
				"entity", (charge) -> Mono.fromCallable(() -> post.apply(charge).toEntity(byte[].class)), //
				"status", (charge) -> Mono
					.fromCallable(() -> this.rest.post().uri("/charges").body(charge).exchange((request, response) -> {
						if (response.getStatusCode().isError()) {
							throw response.createException();
						}
						return response.getStatusCode();
					})),
				"template", (charge) -> Mono.fromCallable(() -> this.template.postForObject(url, charge, String.class)), //
				"template, bodiless",
				(charge) -> Mono.fromCallable(() -> this.template.postForEntity(url, charge, Void.class)), //
				"template, nothing", (charge) -> Mono.fromRunnable(() -> this.template.put(url, charge)));
	}

	/**
	 * The ways in which a pipeline reads a response.
	 */
	private Map<String, Function<String, Mono<?>>> reactive() {
		Function<String, WebClient.ResponseSpec> post = (
				charge) -> this.web.post().uri("/charges").bodyValue(charge).retrieve();
		return Map.of("bodyToMono", (charge) -> post.apply(charge).bodyToMono(String.class), //
				"Void", (charge) -> post.apply(charge).bodyToMono(Void.class), //
				"toBodilessEntity", (charge) -> post.apply(charge).toBodilessEntity(), //
				"toEntity", (charge) -> post.apply(charge).toEntity(String.class), //
				"next", (charge) -> post.apply(charge).bodyToFlux(String.class).next(), //
				"the first buffer",
				(charge) -> post.apply(charge).bodyToFlux(DataBuffer.class).map(this::release).next(), //
				"all buffers", (charge) -> post.apply(charge).bodyToFlux(DataBuffer.class).map(this::release).then(), //
				"exchangeToMono",
				(charge) -> this.web.post()
					.uri("/charges")
					.bodyValue(charge)
					.exchangeToMono((response) -> response.statusCode().isError() ? response.createError()
							: Mono.just(response.statusCode())));
	}

	private int release(DataBuffer buffer) {
		int count = buffer.readableByteCount();
		DataBufferUtils.release(buffer);
		return count;
	}

	private Map<String, Function<String, Mono<?>>> all() {
		Map<String, Function<String, Mono<?>>> all = new LinkedHashMap<>(blocking());
		all.putAll(reactive());
		return all;
	}

	/**
	 * Makes calls in one operation, for each way to read responses and for each reply.
	 * @param replies the first replies of the provider, by their names
	 */
	private void check(Map<String, Function<String, Mono<?>>> readings, Map<String, Reply> replies,
			Consumer<Mono<?>> calls, Predicate<List<String>> expected) {
		List<String> wrong = new ArrayList<>();
		this.instance.run("1", () -> readings.forEach((way, reading) -> replies.forEach((name, reply) -> {
			int first = this.provider.received().size();
			this.quiet = new CompletableFuture<>();
			this.provider.replying(reply);
			calls.accept(reading.apply(way + name));
			List<String> keys = this.provider.keys().subList(first, this.provider.received().size());
			if (!expected.test(keys)) {
				wrong.add("%s, %s: %s".formatted(way, name, keys));
			}
		})));
		assertThat(wrong).as("of %d", readings.size() * replies.size()).isEmpty();
	}

	private <T> Mono<T> untilQuiet(Mono<T> call) {
		return Mono.defer(() -> call.timeout(Mono.fromFuture(this.quiet, true)));
	}

	@Test
	void anEqualCallAfterAFailureIsItsRetry() {
		check(all(), failures(), (call) -> {
			failed(call);
			call.block();
			call.block();
		}, EqualCallsTests::isRetryAndAnother);
	}

	private static boolean failed(Mono<?> call) {
		try {
			call.block();
			return false;
		}
		catch (RuntimeException ex) {
			return true;
		}
	}

	private static boolean isRetryAndAnother(List<String> keys) {
		return keys.size() == 3 && keys.get(1).equals(keys.get(0)) && !keys.get(2).equals(keys.get(0));
	}

	@Test
	void aRetryOfReactorIsARetryAlthoughItIsOnAnotherThread() {
		check(reactive(), failuresOfReactor(), (call) -> {
			AtomicBoolean first = new AtomicBoolean(true);
			Mono.defer(() -> first.getAndSet(false) ? untilQuiet(call) : call)
				.retryWhen(Retry.fixedDelay(3, Duration.ofMillis(1)))
				.block();
			call.block();
		}, EqualCallsTests::isRetryAndAnother);
	}

	@Test
	void anEqualCallAfterASuccessIsAnotherOne() {
		Map<String, Reply> successes = Map.of("whole", Reply.of(200), "empty", Reply.with(200, ""), "in pieces",
				Reply.inPieces("application/json", "[\"a\",", "\"b\"]"), "large",
				Reply.inPieces("text/plain", "a".repeat(1 << 20), "b".repeat(1 << 20)), "a stream",
				Reply.inPieces("text/event-stream", "data:a\n\n", "data:b\n\n"));
		check(all(), successes, (call) -> {
			call.block();
			call.block();
		}, (keys) -> keys.size() == 2 && !keys.get(1).equals(keys.get(0)));
	}

	/**
	 * What fails after a response has come whole, which no client is told.
	 */
	private Map<String, Function<String, Mono<?>>> mistakes() {
		return Map.of("conversion",
				(charge) -> Mono
					.fromCallable(() -> this.rest.post().uri("/charges").body(charge).retrieve().body(Integer.class)), //
				"status handler",
				(charge) -> Mono.fromCallable(() -> this.rest.post()
					.uri("/charges")
					.body(charge)
					.retrieve()
					.onStatus((status) -> true, (request, response) -> {
						throw new IOException("refused");
					})
					.toBodilessEntity()), //
				"template",
				(charge) -> Mono.fromCallable(
						() -> this.template.postForObject(this.provider.url() + "/charges", charge, Integer.class)),
				"reactive",
				(charge) -> this.web.post().uri("/charges").bodyValue(charge).retrieve().bodyToMono(Integer.class));
	}

	@Test
	void whatTheCallerDoesWithASuccessDoesNotMatter() {
		check(mistakes(), Map.of("whole", Reply.of(200)), (call) -> {
			assertThat(failed(call)).isTrue();
			assertThat(failed(call)).isTrue();
		}, (keys) -> keys.size() == 2 && !keys.get(1).equals(keys.get(0)));
	}

	@Test
	void aStepThatIsRepeatedRepeatsItsCallsWhateverFailed() {
		Map<String, Reply> replies = new LinkedHashMap<>(failures());
		replies.put("whole", Reply.of(200));
		check(mistakes(), replies, (call) -> {
			for (String step : List.of("first", "first", "second")) {
				assertThat(failed(inStep(step + this.provider.received().size() / 3, call))).isTrue();
			}
		}, EqualCallsTests::isRetryAndAnother);
	}

	private static Mono<?> inStep(String name, Mono<?> call) {
		return Mono.fromCallable(() -> IdempotencyContext.current()
			.steps()
			.run(name, Object.class, () -> Objects.requireNonNull(call.block())));
	}

	@Test
	void everyPipelineOfAnOperationIsAPartOfIt() {
		Supplier<Mono<String>> call = () -> this.web.post().uri("/charges").retrieve().bodyToMono(String.class);
		List<Runnable> pipelines = List.of(() -> call.get().then(call.get()).block(),
				() -> Flux.range(0, 2).concatMap((i) -> call.get()).blockLast(),
				() -> Mono.zip(call.get(), call.get().subscribeOn(Schedulers.boundedElastic())).block(),
				() -> Mono.delay(Duration.ofMillis(1)).flatMap((i) -> call.get()).toFuture().join(),
				() -> Flux.just(1, 2).publishOn(Schedulers.parallel()).flatMap((i) -> call.get()).blockLast(),
				() -> call.get()
					.then(call.get())
					.flux()
					.contextWrite(Context.of(IdempotencyContext.class, IdempotencyContext.current()))
					.toStream()
					.forEach((it) -> {
					}));
		this.instance.fail("1", () -> pipelines.forEach(Runnable::run));
		this.instance.run("1", () -> pipelines.forEach(Runnable::run));
		List<String> keys = this.provider.keys();
		assertThat(keys).hasSize(22);
		assertThat(keys.subList(0, 11)).doesNotHaveDuplicates()
			.containsExactlyInAnyOrderElementsOf(keys.subList(11, 22));
	}

}
