package dev.idempotency.client;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

import dev.idempotency.client.Provider.Reply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Calls that are made again.
 */
class RetryingTests {

	private static final ClientRetry QUICKLY = ClientRetry.defaults()
		.withAttempts(3)
		.withDelay(Duration.ofMillis(1), Duration.ofMillis(5))
		.withDeadline(Duration.ofSeconds(20));

	@AutoClose
	private final Provider provider = new Provider();

	private RestClient client(ClientRetry retry, ClientHttpRequestInterceptor... others) {
		return RestClient.builder()
			.baseUrl(this.provider.url())
			.requestInterceptor(IdempotencyKeyClientInterceptor.retrying(retry))
			.requestInterceptors((all) -> all.addAll(List.of(others)))
			.defaultStatusHandler((status) -> true, (request, response) -> {
			})
			.build();
	}

	private ResponseEntity<String> post(RestClient client) {
		return client.post().uri("/charges").retrieve().toEntity(String.class);
	}

	private ResponseEntity<String> post() {
		return post(client(QUICKLY));
	}

	static List<Reply> unsettled() {
		return List.of(Reply.of(503), Reply.of(429), Reply.of(409, "Retry-After", "0"),
				Reply.problem(409, "in-progress"), Reply.lost(), Reply.cut());
	}

	@ParameterizedTest
	@MethodSource("unsettled")
	void callsAgainWithTheSameKey(Reply reply) {
		this.provider.replying(reply, reply);
		ResponseEntity<String> answer = post();
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(answer.getBody()).isEqualTo("{\"id\":\"ch-1\"}");
		assertThat(this.provider.keys()).hasSize(3).containsOnly(this.provider.keys().get(0)).doesNotContain("");
	}

	static List<Reply> settled() {
		return List.of(Reply.of(422), Reply.of(422, "Retry-After", "0"), Reply.of(400), Reply.of(402), Reply.of(500),
				Reply.of(409), Reply.problem(409, "outcome-unknown"), Reply.problem(409, "not-replayable"));
	}

	@ParameterizedTest
	@MethodSource("settled")
	void takesOtherAnswersAsTheyAre(Reply reply) {
		this.provider.replying(reply);
		assertThat(post().getStatusCode().isError()).isTrue();
		assertThat(this.provider.received()).hasSize(1);
	}

	@Test
	void givesTheBodyOfAConflictOnToTheCaller() {
		this.provider.replying(Reply.problem(409, "outcome-unknown"));
		assertThat(post().getBody()).isEqualTo("{\"type\":\"urn:idempotency:outcome-unknown\"}");
	}

	@Test
	void callsAgainWithAKeyOfTheCallersOwn() {
		this.provider.replying(Reply.of(503));
		client(QUICKLY).post().uri("/charges").header("Idempotency-Key", "mine").retrieve().toBodilessEntity();
		assertThat(this.provider.keys()).containsExactly("mine", "mine");
	}

	@Test
	void repeatsSafeCallsToo() {
		this.provider.replying(Reply.lost(), Reply.of(503));
		assertThat(client(QUICKLY).get().uri("/charges").retrieve().toBodilessEntity().getStatusCode())
			.isEqualTo(HttpStatus.OK);
		assertThat(this.provider.keys()).containsOnly("");
	}

	@Test
	void doesAsItIsTold() {
		this.provider.replying(Reply.of(503), Reply.lost());
		RestClient client = client(QUICKLY.withStatuses(502).withErrors((error) -> false));
		assertThat(post(client).getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> post(client));
		assertThat(this.provider.received()).hasSize(2);
	}

	@Test
	void givesTheLastAnswerOutWhenNoAttemptIsLeft() {
		this.provider.replying(Reply.of(503), Reply.lost(), Reply.with(429, "too many"));
		ResponseEntity<String> answer = post();
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
		assertThat(answer.getBody()).isEqualTo("too many");
		assertThat(this.provider.received()).hasSize(3);
	}

	@Test
	void throwsTheLastErrorWhenNoAttemptIsLeft() {
		this.provider.replying(Reply.of(503), Reply.of(503), Reply.lost());
		assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(this::post)
			.withCauseInstanceOf(IOException.class);
		assertThat(this.provider.received()).hasSize(3);
	}

	@Test
	void closesAnswersThatNobodyGets() {
		AtomicInteger open = new AtomicInteger();
		this.provider.replying(Reply.of(503), Reply.of(503));
		ResponseEntity<String> answer = post(client(QUICKLY, (request, body, execution) -> {
			open.incrementAndGet();
			return closing(execution.execute(request, body), open::decrementAndGet);
		}));
		assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(open).hasValue(0);
	}

	/**
	 * An answer that says when it is closed.
	 */
	private static ClientHttpResponse closing(ClientHttpResponse response, Runnable onClose) {
		AtomicBoolean closed = new AtomicBoolean();
		return (ClientHttpResponse) Proxy.newProxyInstance(RetryingTests.class.getClassLoader(),
				new Class<?>[] { ClientHttpResponse.class }, (proxy, method, arguments) -> {
					if ("close".equals(method.getName()) && closed.compareAndSet(false, true)) {
						onClose.run();
					}
					return method.invoke(response, arguments);
				});
	}

	@ParameterizedTest
	@MethodSource("inOneSecond")
	void waitsForAsLongAsTheServerAsks(Supplier<String> retryAfter) {
		this.provider.replying((exchange) -> Reply.of(503, "Retry-After", retryAfter.get()).send(exchange));
		long begin = System.nanoTime();
		assertThat(post().getStatusCode()).isEqualTo(HttpStatus.OK);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(900),
				Duration.ofSeconds(15));
	}

	/**
	 * Dates have no fractions of seconds, and the server says itself what time it is.
	 */
	static List<Supplier<String>> inOneSecond() {
		return List.of(() -> "1",
				() -> DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(2)));
	}

	@Test
	void doesNotWaitBeyondTheDeadline() {
		this.provider.replying(Reply.of(503, "Retry-After", "20"));
		assertThat(post().getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		assertThat(this.provider.received()).hasSize(1);
	}

	@Test
	void stopsWaitingWhenItIsInterrupted() {
		this.provider.replying(Reply.of(503, "Retry-After", "15"));
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			boolean refused = post().getStatusCode() == HttpStatus.SERVICE_UNAVAILABLE;
			interrupted.complete(refused && Thread.currentThread().isInterrupted());
		});
		caller.start();
		Awaitility.await()
			.until(() -> caller.getState() == Thread.State.TIMED_WAITING && this.provider.received().size() == 1
					&& isSleeping(caller));
		caller.interrupt();
		assertThat(interrupted.orTimeout(10, TimeUnit.SECONDS).join()).isTrue();
	}

	private static boolean isSleeping(Thread thread) {
		return List.of(thread.getStackTrace()).toString().contains("RetryTemplate.execute")
				&& List.of(thread.getStackTrace()).toString().contains("Thread.sleep");
	}

	/**
	 * IdempotencyEngineTests counts how often one has to ask for a key whose executor has
	 * vanished: 7 times.
	 */
	@Test
	void asksOftenEnoughToOutlastAVanishedTwin() {
		assertThat(ClientRetry.defaults().attempts()).isGreaterThan(7);
	}

	@Test
	void waitsForARandomPartOfADelayThatDoubles() {
		ClientRetry retry = ClientRetry.defaults()
			.withAttempts(5)
			.withDelay(Duration.ofMillis(100), Duration.ofMillis(400));
		assertThat(waits(retry, 1)).containsExactly(100L, 200L, 400L, 400L, BackOffExecution.STOP);
		assertThat(waits(retry, 0.5)).containsExactly(50L, 100L, 200L, 200L, BackOffExecution.STOP);
		assertThat(waits(retry, 0)).containsExactly(0L, 0L, 0L, 0L, BackOffExecution.STOP);
	}

	private static List<Long> waits(ClientRetry retry, double share) {
		RandomGenerator random = new RandomGenerator() {

			@Override
			public long nextLong() {
				throw new UnsupportedOperationException();
			}

			@Override
			public long nextLong(long bound) {
				return Math.round((bound - 1) * share);
			}

		};
		BackOffExecution backOff = new RetriedCall(retry, random).getBackOff().start();
		return LongStream.generate(backOff::nextBackOff).limit(5).boxed().toList();
	}

	@Test
	void readsNoFurtherAheadThanAMegabyteAndNoStreamsAtAll() throws IOException {
		byte[] large = new byte[3 << 20];
		List<Integer> left = new ArrayList<>();
		for (String type : List.of("application/octet-stream", "text/event-stream")) {
			MockClientHttpResponse response = new MockClientHttpResponse(large, HttpStatus.OK);
			response.getHeaders().set("Content-Type", type);
			var read = ReadAheadResponse.of(response, () -> {
			});
			left.add(response.getBody().available());
			assertThat(read.getBody().readAllBytes()).hasSize(large.length);
		}
		assertThat(left).containsExactly(2 << 20, 3 << 20);
	}

	@Test
	void refusesWhatMakesNoSense() {
		ClientRetry retry = ClientRetry.defaults();
		assertThatIllegalArgumentException().isThrownBy(() -> retry.withAttempts(0));
		assertThatIllegalArgumentException().isThrownBy(() -> retry.withDelay(Duration.ZERO, Duration.ofSeconds(1)));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> retry.withDelay(Duration.ofSeconds(2), Duration.ofSeconds(1)));
		assertThatIllegalArgumentException().isThrownBy(() -> retry.withDeadline(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> retry.withStatuses(503, 422))
			.withMessageContaining("never after a 422");
		assertThatIllegalArgumentException().isThrownBy(() -> retry.withStatuses(200));
	}

	@Test
	void retriesEveryUnsafeMethod() {
		for (HttpMethod method : List.of(HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE)) {
			this.provider.replying(Reply.of(503));
			client(QUICKLY).method(method).uri("/charges").retrieve().toBodilessEntity();
		}
		assertThat(this.provider.received()).hasSize(6);
		assertThat(this.provider.keys().stream().distinct()).hasSize(3);
	}

}
