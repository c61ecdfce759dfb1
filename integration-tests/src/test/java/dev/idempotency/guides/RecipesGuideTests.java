package dev.idempotency.guides;

import java.net.SocketTimeoutException;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.client.ResourceAccessException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The code of {@code docs/recipes.md} at work, as far as no other guide has it.
 */
@Tag("once")
class RecipesGuideTests {

	private static final String ORDER = "{\"id\":\"1\",\"amount\":5}";

	private static final Pattern HIDDEN_KEY = Pattern.compile("name=\"key\" value=\"([^\"]+)\"");

	private static TestServer startWithDatabase(String name, Class<?> application) {
		return TestServer.start(List.of(application), TestServer.WITH_DATABASE, "idempotency.store=jdbc",
				"spring.datasource.url=jdbc:h2:mem:recipe-" + name);
	}

	private static JdbcClient create(TestServer server, String... tables) {
		JdbcClient jdbc = server.bean(JdbcClient.class);
		for (String table : tables) {
			jdbc.sql("create table " + table).update();
		}
		return jdbc;
	}

	@Test
	void chargesAsStripeDoes() {
		try (TestServer server = TestServer.start(List.of(Charging.class))) {
			Answer first = server.post("/charges").key("k").json(ORDER).send();
			assertThat(first.status()).as("%s", first).isEqualTo(201);
			Answer again = server.post("/charges").key("k").json(ORDER).send();
			assertThat(again.status()).isEqualTo(201);
			assertThat(again.isReplay()).isTrue();
			assertThat(again.text()).isEqualTo(first.text());
			assertThat(server.post("/charges").key("k").json("{\"id\":\"1\",\"amount\":6}").send().status())
				.isEqualTo(422);
			assertThat(server.post("/charges").json(ORDER).send().status()).isEqualTo(400);
			assertThat(server.bean(Payments.class).charges()).hasSize(1);
		}
	}

	/**
	 * The code of {@code docs/http.md}.
	 */
	@Test
	void chargesOnceForAClientThatStampsEachAttempt() {
		try (TestServer server = TestServer.start(List.of(Charging.class, StampedChargeController.class))) {
			Answer first = server.post("/stamped-charges").key("k").json(ORDER).send();
			assertThat(first.status()).as("%s", first).isEqualTo(200);
			String stamped = ORDER.replace("}", ",\"sentAt\":\"12:00\",\"meta\":{\"attempt\":2}}");
			assertThat(server.post("/stamped-charges").key("k").json(stamped).send().status()).as("meta itself counts")
				.isEqualTo(422);
			stamped = stamped.replace(",\"meta\":{\"attempt\":2}", "");
			assertThat(server.post("/stamped-charges").key("k").json(stamped).send().isReplay()).isTrue();
			assertThat(server.bean(Payments.class).charges()).hasSize(1);
		}
	}

	@Test
	void findsTheChargeWhoseReplyDidNotCome() {
		try (TestServer server = TestServer.start(List.of(Silence.class))) {
			assertThat(server.post("/transfers").key("k").json(ORDER).send().status()).isEqualTo(500);
			assertThat(server.post("/transfers").key("k").json(ORDER).send().text())
				.isEqualTo("{\"id\":\"ch-1\",\"amount\":5}");
			assertThat(server.bean(Payments.class).charges()).hasSize(1);
		}
	}

	@Test
	void writesTheRowOfAMessageOnce() {
		try (TestServer server = startWithDatabase("message", Listening.class)) {
			JdbcClient jdbc = create(server, "orders (id varchar(10) primary key, amount integer)");
			TransactionalOrderListener listener = server.bean(TransactionalOrderListener.class);
			ConsumerRecord<String, Order> message = new ConsumerRecord<>("orders", 0, 0, "m-1", new Order("1", 5));
			jdbc.sql("insert into orders values ('1', 0)").update();
			assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> listener.on(message));
			jdbc.sql("delete from orders").update();
			listener.on(message);
			listener.on(message);
			assertThat(jdbc.sql("select amount from orders").query(Integer.class).list()).containsExactly(5);
		}
	}

	@Test
	void depositsOnce() {
		try (TestServer server = startWithDatabase("patch", Accounts.class)) {
			JdbcClient jdbc = create(server, "accounts (id varchar(10) primary key, balance integer)");
			jdbc.sql("insert into accounts values ('a', 10), ('b', 10)").update();
			Answer first = deposit(server, "a", "k-1");
			assertThat(first.text()).isEqualTo("{\"id\":\"a\",\"balance\":15}");
			jdbc.sql("update accounts set balance = 0 where id = 'a'").update();
			Answer again = deposit(server, "a", "k-1");
			assertThat(again.isReplay()).isTrue();
			assertThat(again.text()).isEqualTo(first.text());
			assertThat(deposit(server, "b", "k-1").status()).as("another account").isEqualTo(422);
			assertThat(deposit(server, "a", "k-2").text()).isEqualTo("{\"id\":\"a\",\"balance\":5}");
			assertThat(jdbc.sql("select balance from accounts order by id").query(Integer.class).list())
				.containsExactly(5, 10);
		}
	}

	private static Answer deposit(TestServer server, String account, String key) {
		return server.call("PATCH", "/accounts/" + account).key(key).json("{\"amount\":5}").send();
	}

	@Test
	void ordersOnceWhenTheButtonIsClickedTwice() {
		ExecutorService browser = Executors.newFixedThreadPool(2);
		try (TestServer server = TestServer.start(List.of(Forms.class))) {
			SlowPayments payments = server.bean(SlowPayments.class);
			String page = server.call("GET", "/order-form").send().text();
			Matcher key = HIDDEN_KEY.matcher(page);
			assertThat(key.find()).as(page).isTrue();
			String form = "key=%s&id=1&amount=5".formatted(key.group(1));
			CompletableFuture<Answer> first = CompletableFuture.supplyAsync(() -> submit(server, form), browser);
			await().until(payments::hasBegun);
			AtomicInteger claims = server.bean(WatchedStore.class).claims;
			int before = claims.get();
			CompletableFuture<Answer> second = CompletableFuture.supplyAsync(() -> submit(server, form), browser);
			// Who looks a second time waits
			await().until(() -> claims.get() >= before + 2);
			assertThat(second).isNotDone();
			payments.goOn();
			assertThat(List.of(first.join(), second.join())).allSatisfy((answer) -> {
				assertThat(answer.status()).as("%s", answer).isEqualTo(303);
				assertThat(answer.header("Location")).endsWith("/receipts/ch-1");
			});
			assertThat(payments.charges()).hasSize(1);
			assertThat(submit(server, form.replace("amount=5", "amount=6")).status()).isEqualTo(422);
			assertThat(submit(server, "id=1&amount=5").status()).isEqualTo(400);
			assertThat(server.call("GET", "/order-form").send().text()).isNotEqualTo(page);
		}
		finally {
			browser.shutdownNow();
		}
	}

	private static Answer submit(TestServer server, String form) {
		return server.post("/order-form").body("application/x-www-form-urlencoded", form).send();
	}

	@Test
	void knowsTheKeysOfTheOldTable() {
		try (TestServer server = startWithDatabase("old-table", Migrating.class)) {
			createOldTable(server);
			ProcessedRequests old = server.bean(ProcessedRequests.class);
			old.save("k-1", "booked before");
			assertThat(book(server, "k-1").text()).isEqualTo("booked before");
			assertThat(book(server, "k-1").isReplay()).isTrue();
			assertThat(server.bean(Bookings.class).count()).isZero();
			assertThat(book(server, "k-2").text()).isEqualTo("booked 1");
			assertThat(book(server, "k-2").isReplay()).isTrue();
			assertThat(server.bean(Bookings.class).count()).isOne();
			assertThat(old.find("k-2")).as("an old instance finds it").contains("booked 1");
		}
	}

	@Test
	void booksNothingThatAnOldInstanceBooksAtTheSameMoment() {
		try (TestServer server = startWithDatabase("roll-out", Overtaken.class)) {
			createOldTable(server);
			assertThat(book(server, "k-1").status()).isEqualTo(500);
			assertThat(server.bean(Bookings.class).count()).isZero();
			assertThat(book(server, "k-1").text()).isEqualTo("booked by an old instance");
			assertThat(server.bean(Bookings.class).count()).isZero();
		}
	}

	private static void createOldTable(TestServer server) {
		create(server, "bookings (id varchar(10) primary key, amount integer)",
				"processed_requests (request_key varchar(255) primary key, response varchar(255))");
	}

	private static Answer book(TestServer server, String key) {
		return server.post("/bookings").key(key).json(ORDER).send();
	}

	@Test
	void keepsTenantsApart() {
		try (TestServer server = TestServer.start(List.of(Tenants.class))) {
			assertThat(charge(server, "token-of-a").isReplay()).isFalse();
			assertThat(charge(server, "token-of-b").isReplay()).isFalse();
			assertThat(charge(server, "token-of-a").isReplay()).isTrue();
			assertThat(charge(server, "token-of-b").isReplay()).isTrue();
			assertThat(server.bean(Payments.class).charges()).hasSize(2);
		}
	}

	private static Answer charge(TestServer server, String token) {
		return server.post("/charges").header("Authorization", "Bearer " + token).key("k").json(ORDER).send();
	}

	@Test
	void answersAChatOnce() {
		try (TestServer server = TestServer.start(List.of(Chatting.class));
				TestServer reactive = TestServer.startReactive(List.of(Chatting.class))) {
			for (TestServer each : List.of(server, reactive)) {
				Answer first = each.post("/chats").key("k").body("text/plain", "Hello").send();
				assertThat(first.text()).startsWith("data:Hello, \n\ndata:answer ");
				Answer again = each.post("/chats").key("k").body("text/plain", "Hello").send();
				assertThat(again.isReplay()).isTrue();
				assertThat(again.text()).isEqualTo(first.text());
			}
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ChatController.class)
	static class Chatting {

		@Bean
		ChatController.Assistant assistant() {
			return (message) -> Flux.just(message + ", ", "answer " + UUID.randomUUID());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ChargeController.class, Payments.class })
	static class Charging {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ChargeController.class, SilentPayments.class })
	static class Silence {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(TransactionalOrderListener.class)
	static class Listening {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(AccountController.class)
	static class Accounts {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ OrderForm.class, SlowPayments.class, WatchedStore.class })
	static class Forms {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ BookingController.class, Bookings.class, ProcessedRequests.class })
	static class Migrating {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ BookingController.class, OvertakenBookings.class, ProcessedRequests.class })
	static class Overtaken {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ TenantScope.class, ChargeController.class, Payments.class, TenantFilter.class })
	static class Tenants {

	}

	/**
	 * Takes its time for the first charge, as long as a test wants.
	 */
	static class SilentPayments extends Payments {

		@Override
		Charge charge(Order order) {
			super.charge(order);
			throw new ResourceAccessException("POST to the bank", new SocketTimeoutException("Read timed out"));
		}

	}

	static class SlowPayments extends Payments {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch end = new CountDownLatch(1);

		@Override
		Charge charge(Order order) {
			this.begun.countDown();
			Unchecked.run(() -> assertThat(this.end.await(60, TimeUnit.SECONDS)).isTrue());
			return super.charge(order);
		}

		boolean hasBegun() {
			return this.begun.getCount() == 0;
		}

		void goOn() {
			this.end.countDown();
		}

	}

	static class WatchedStore extends ForwardingStore {

		private final AtomicInteger claims = new AtomicInteger();

		WatchedStore() {
			super(MemoryStores.with(Clock.systemUTC()));
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			ClaimResult result = super.claim(key, fingerprint, terms);
			this.claims.incrementAndGet();
			return result;
		}

	}

	/**
	 * An old instance is faster, with the same key and in a transaction of its own.
	 */
	static class OvertakenBookings extends Bookings {

		private final ProcessedRequests processed;

		OvertakenBookings(JdbcClient jdbc, ProcessedRequests processed) {
			super(jdbc);
			this.processed = processed;
		}

		@Override
		String book(Order order) {
			Unchecked
				.run(() -> CompletableFuture.runAsync(() -> this.processed.save("k-1", "booked by an old instance"))
					.get(30, TimeUnit.SECONDS));
			return super.book(order);
		}

	}

	/**
	 * Knows the tenant by the token, as a verified one has it in a claim.
	 */
	static class TenantFilter extends OncePerRequestFilter {

		private static final Map<String, String> TENANTS = Map.of("Bearer token-of-a", "a", "Bearer token-of-b", "b");

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			request.setAttribute("tenant", TENANTS.get(request.getHeader("Authorization")));
			chain.doFilter(request, response);
		}

	}

}
