package dev.idempotency.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.fixtures.Unchecked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample takes orders, and a second instance of it takes the money, over a line that
 * breaks.
 */
@Tag("once")
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
class OrdersTests {

	private static final Logger logger = LoggerFactory.getLogger(OrdersTests.class);

	private static final long SEED = Long.getLong("seed", 42);

	/**
	 * How often a customer sends an order before they give up.
	 */
	private static final int PATIENCE = 20;

	private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

	private final List<AutoCloseable> started = new ArrayList<>();

	private Path folder = Path.of("");

	@SuppressWarnings("NullAway.Init")
	private SampleProcess provider;

	private int sent;

	@BeforeAll
	void startProvider(@TempDir Path folder) {
		this.folder = folder;
		this.provider = SampleProcess.start(newFolder("provider"),
				List.of("--sample.card-network-time=5ms", "--idempotency.lease=2s"));
	}

	@AfterAll
	void stopProvider() {
		this.provider.close();
	}

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable one : this.started) {
			one.close();
		}
		this.started.clear();
	}

	private Path newFolder(String name) {
		return Unchecked.get(() -> Files.createDirectories(this.folder.resolve(name)));
	}

	private CuttingProxy proxy() {
		CuttingProxy proxy = new CuttingProxy(this.provider.port(), SEED);
		this.started.add(proxy);
		return proxy;
	}

	/**
	 * Starts an instance that takes orders. It can be killed, and another one started in
	 * the same place.
	 */
	private SampleProcess shop(String name, CuttingProxy line, boolean stableKeys) {
		SampleProcess shop = SampleProcess.start(newFolder(name),
				List.of("--spring.main.lazy-initialization=true", "--sample.provider-url=" + line.url(),
						"--sample.stable-keys=" + stableKeys, "--spring.datasource.url=jdbc:h2:file:./data/shop",
						"--idempotency.lease=1s"));
		this.started.add(shop);
		return shop;
	}

	@Test
	void chargesEachOrderOnceOverALineThatBreaks() {
		int rounds = LongRun.choose(4, 200);
		CuttingProxy line = proxy();
		SampleProcess shop = shop("shop", line, true);
		this.sent = 0;
		int orders = 0;
		// Chance cuts the line, and may take its time to cut it both ways
		for (; orders < rounds || (orders < 200 && (line.cutRequests() == 0 || line.cutAnswers() == 0)); orders++) {
			String item = "broken-%d".formatted(orders);
			String confirmation = orderUntilAnswered(shop, item);
			assertThat(charges(item)).containsExactly(JsonPath.<String>read(confirmation, "$.payment"));
		}
		logger.info("{} orders, sent {} times; {} requests and {} answers were cut", orders, this.sent,
				line.cutRequests(), line.cutAnswers());
		assertThat(line.cutRequests()).isPositive();
		assertThat(line.cutAnswers()).isPositive();
	}

	@Test
	void chargesTwiceWithANewKeyInEachAttempt() {
		SampleProcess shop = shop("careless", proxy(), false);
		int most = 0;
		for (int round = 0; round < 50 && most < 2; round++) {
			String item = "careless-%d".formatted(round);
			orderUntilAnswered(shop, item);
			most = Math.max(most, charges(item).size());
		}
		assertThat(most).isGreaterThan(1);
	}

	@Test
	void chargesEachOrderOnceWhenTheShopIsKilled() throws Exception {
		int rounds = LongRun.choose(1, 20);
		assertThat(chargesAfterKills("killed", rounds, true)).hasSize(rounds).containsOnly(1);
		// Starting takes its time, and the other test shows as much
		int careless = LongRun.choose(0, 3);
		assertThat(chargesAfterKills("careless-killed", careless, false)).hasSize(careless).allMatch((it) -> it == 2);
	}

	/**
	 * Kills the shop when the provider has taken the money and the shop does not know it
	 * yet.
	 */
	private List<Integer> chargesAfterKills(String name, int rounds, boolean stableKeys) throws Exception {
		if (rounds == 0) {
			return List.of();
		}
		CuttingProxy line = proxy().mended();
		SampleProcess shop = shop(name, line, stableKeys);
		List<Integer> charges = new ArrayList<>();
		for (int round = 0; round < rounds; round++) {
			String item = "%s-%d".formatted(name, round);
			CountDownLatch answer = line.holdAnswer();
			CompletableFuture<Optional<String>> lost = this.client.sendAsync(order(shop, item), BodyHandlers.ofString())
				.handle((response, failure) -> Optional.ofNullable(response).map(HttpResponse::body));
			assertThat(answer.await(60, TimeUnit.SECONDS)).isTrue();
			shop.close();
			assertThat(lost.get(60, TimeUnit.SECONDS)).isEmpty();
			assertThat(charges(item)).hasSize(1);
			shop = shop(name, line, stableKeys);
			orderUntilAnswered(shop, item);
			charges.add(charges(item).size());
		}
		return charges;
	}

	/**
	 * Sends an order as customers do: again, until it is answered.
	 */
	private String orderUntilAnswered(SampleProcess shop, String item) {
		for (int i = 0; i < PATIENCE; i++) {
			this.sent++;
			HttpResponse<String> answer = send(order(shop, item));
			if (answer.statusCode() == 201) {
				return answer.body();
			}
			assertThat(answer.statusCode()).as(answer.body()).isIn(409, 500);
			if (answer.statusCode() == 409) {
				rest(Duration.ofMillis(200));
			}
		}
		throw new AssertionError("No answer for " + item);
	}

	private static void rest(Duration time) {
		CompletableFuture.runAsync(() -> {
		}, CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS)).join();
	}

	private static HttpRequest order(SampleProcess shop, String item) {
		return request(shop, "/orders").header("Idempotency-Key", item)
			.POST(BodyPublishers.ofString("{\"item\":\"%s\",\"amount\":20.00}".formatted(item)))
			.build();
	}

	/**
	 * The payments for an item. None of the latest is there twice, except for the
	 * careless.
	 */
	private List<String> charges(String item) {
		String payments = send(request(this.provider, "/payments").GET().build()).body();
		List<String> purposes = JsonPath.<List<String>>read(payments, "$[*].purpose")
			.stream()
			.filter((purpose) -> !purpose.startsWith("careless"))
			.toList();
		assertThat(purposes).doesNotHaveDuplicates();
		return JsonPath.read(payments, "$[?(@.purpose == '%s')].id".formatted(item));
	}

	private static HttpRequest.Builder request(SampleProcess instance, String path) {
		String credentials = Base64.getEncoder().encodeToString("anna:anna".getBytes(StandardCharsets.UTF_8));
		return HttpRequest.newBuilder(URI.create("http://localhost:" + instance.port() + path))
			.timeout(Duration.ofSeconds(60))
			.header("Authorization", "Basic " + credentials)
			.header("Content-Type", "application/json");
	}

	private HttpResponse<String> send(HttpRequest request) {
		try {
			return this.client.send(request, BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
