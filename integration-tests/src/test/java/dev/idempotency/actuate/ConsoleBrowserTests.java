package dev.idempotency.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.actuate.PaymentsApplication.Payments;
import dev.idempotency.servers.Browser;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.test.MovableClock;
import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The console in a real browser.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleBrowserTests {

	@SuppressWarnings("NullAway.Init")
	@AutoClose
	private TestServer server;

	@SuppressWarnings("NullAway.Init")
	@AutoClose("quit")
	private ChromeDriver browser;

	@BeforeAll
	void start() {
		this.browser = Browser.open("--window-size=1200,1750");
		this.server = start(List.of(TenMinutesInNoTime.class));
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> added, String... properties) {
		return PaymentsApplication.start(added, properties);
	}

	@BeforeEach
	void open() {
		open(this.server);
	}

	private void open(TestServer server) {
		this.browser.get(server.uri("/actuator/idempotencyconsole").toString());
		until("Updated", () -> text("updated"));
	}

	@AfterEach
	void complainsOfNothing() {
		// But for the failure that a test provokes
		assertThat(Browser.complaints(this.browser)).allMatch((line) -> line.contains("/idempotency/records/0000")
				|| line.contains("responded with a status of 400"));
	}

	private WebElement byId(String id) {
		return this.browser.findElement(By.id(id));
	}

	private String text(String id) {
		return byId(id).getText();
	}

	private void until(String expected, Supplier<String> actual) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.untilAsserted(() -> assertThat(actual.get()).contains(expected));
	}

	private Answer pay(String key) {
		return this.server.post("/payments").key(key).json("{}").send();
	}

	private int number(String id) {
		return Integer.parseInt(text(id).replaceAll("\\D", ""));
	}

	@Test
	void countsMoveWhenRequestsArrive() {
		int total = number("count-total");
		int executed = number("sum-executed");
		int replayed = number("sum-replayed");
		String key = TestServer.newKey();
		pay(key);
		pay(key);
		until(String.valueOf(total + 1), () -> text("count-total"));
		until(String.valueOf(executed + 1), () -> text("sum-executed"));
		until(String.valueOf(replayed + 1), () -> text("sum-replayed"));
		assertThat(this.browser.findElements(By.cssSelector("#plot rect.replayed"))).isNotEmpty();
		assertThat(this.browser.findElement(By.id("plot-text")).getAttribute("textContent")).contains("replayed");
	}

	@Test
	void opensWithAUserInTheAddress() {
		String address = this.server.uri("/actuator/idempotencyconsole").toString();
		this.browser.get(address.replace("://", "://operator:secret@"));
		until("Updated", () -> text("updated"));
		assertThat(byId("failure").isDisplayed()).isFalse();
	}

	@Test
	void findsAKeyAndForgetsItByKeyboardAlone() {
		String key = "order-" + TestServer.newKey();
		String body = pay(key).text();
		byId("text").sendKeys(key, Keys.ENTER);
		until("One record.", () -> text("found"));
		byId("text").clear();
		WebElement details = this.browser.findElement(By.cssSelector("#found-table tbody button"));
		details.sendKeys(Keys.ENTER);
		until("status 201", () -> text("record-facts"));
		assertThat(text("record")).contains("POST /payments").doesNotContain(key).doesNotContain(body);
		byId("forget").sendKeys(Keys.ENTER);
		assertThat(text("ask")).contains("Forget this key?");
		assertThat(this.browser.switchTo().activeElement().getAttribute("id")).as("the harmless one has the focus")
			.isEqualTo("forget-no");
		this.browser.switchTo().activeElement().sendKeys(Keys.ENTER);
		assertThat(pay(key).isReplay()).isTrue();
		byId("forget").sendKeys(Keys.ENTER);
		byId("forget-yes").sendKeys(Keys.ENTER);
		until("Forgotten", () -> text("found"));
		assertThat(byId("record").isDisplayed()).isFalse();
		assertThat(pay(key).text()).as("runs again").isNotEqualTo(body);
	}

	/**
	 * Leaves a key as a process does that dies.
	 */
	private void abandon(String key) {
		pay(key);
		SearchableStore store = this.server.bean(SearchableStore.class);
		IdempotencyKey stored = stored("POST /payments", key);
		Fingerprint fingerprint = store.find(stored).orElseThrow().fingerprint();
		store.forget(stored);
		store.claim(stored, fingerprint,
				new ClaimTerms(Duration.ofMillis(1), Duration.ofHours(1), OnCrash.REFUSE, OnReplay.READ));
		Awaitility.await()
			.until(() -> store.find(RecordId.of(stored)).orElseThrow().summary().state() == RecordState.ABANDONED);
	}

	private void openRecord(String key) {
		openRecord(key, "POST /payments");
	}

	private void openRecord(String key, String operation) {
		byId("text").clear();
		byId("text").sendKeys(key, Keys.ENTER);
		until("One record.", () -> text("found"));
		this.browser.findElement(By.cssSelector("#found-table tbody button")).sendKeys(Keys.ENTER);
		until(operation, () -> text("record-facts"));
	}

	@Test
	void settlesAnAbandonedKeyAsDoneByKeyboardAlone() {
		String key = "order-" + TestServer.newKey();
		abandon(key);
		assertThat(pay(key).status()).isEqualTo(409);
		openRecord(key);
		until("abandoned", () -> text("record-facts"));
		byId("settle").sendKeys(Keys.ENTER);
		assertThat(this.browser.switchTo().activeElement().getAttribute("id")).as("the harmless one has the focus")
			.isEqualTo("settle-no");
		assertThat(byId("settle-yes").isEnabled()).as("nothing is chosen yet").isFalse();
		this.browser.switchTo().activeElement().sendKeys(Keys.ENTER);
		assertThat(pay(key).status()).as("nothing was changed").isEqualTo(409);
		byId("settle").sendKeys(Keys.ENTER);
		byId("outcome-done").sendKeys(Keys.SPACE);
		assertThat(byId("settle-value").isDisplayed()).isFalse();
		byId("answer-body").sendKeys("{\"id\": 7}");
		byId("settle-yes").sendKeys(Keys.ENTER);
		until("a response needs a status", () -> text("record-failure"));
		byId("answer-status").sendKeys("201");
		assertThat(byId("record-failure").isDisplayed()).as("what was wrong is being mended").isFalse();
		byId("answer-headers").sendKeys("Location: /payments/7");
		Browser.picture(this.browser, "console-settle");
		assertThat(Browser.withoutName(this.browser)).isEmpty();
		byId("settle-yes").sendKeys(Keys.ENTER);
		until("Settled as done", () -> text("found"));
		Answer replay = pay(key);
		assertThat(replay.isReplay()).isTrue();
		assertThat(replay.status()).isEqualTo(201);
		assertThat(replay.text()).isEqualTo("{\"id\": 7}");
		assertThat(replay.header("Location")).isEqualTo("/payments/7");
		openRecord(key);
		until("completed", () -> text("record-facts"));
		assertThat(byId("settle").isDisplayed()).as("nothing to settle any more").isFalse();
	}

	@Test
	void settlesAnAbandonedKeyAsNotDone() {
		String key = "order-" + TestServer.newKey();
		abandon(key);
		openRecord(key);
		until("abandoned", () -> text("record-facts"));
		byId("settle").click();
		byId("outcome-not-done").click();
		assertThat(byId("settle-answer").isDisplayed()).isFalse();
		byId("settle-yes").click();
		until("Settled as not done", () -> text("found"));
		Answer next = pay(key);
		assertThat(next.status()).isEqualTo(201);
		assertThat(next.isReplay()).isFalse();
	}

	@Test
	void tellsACrashFromAnOutcomeThatWasReported() {
		String key = "order-" + TestServer.newKey();
		abandon(key);
		openRecord(key);
		until("its process may have crashed", () -> text("record-facts"));
		byId("close").click();
		SearchableStore store = this.server.bean(SearchableStore.class);
		String reported = "order-" + TestServer.newKey();
		store.abandon(
				((ClaimResult.Granted) claim(this.server, "POST /payments", reported, Duration.ofHours(1))).claim());
		openRecord(reported);
		until("reported that its outcome is unknown", () -> text("record-facts"));
		assertThat(text("record-facts")).contains("Why").doesNotContain("crashed", "Replays");
		Browser.picture(this.browser, "console-why");
		Stream.of(key, reported).forEach((it) -> store.forget(stored("POST /payments", it)));
	}

	private static IdempotencyKey stored(String operation, String key) {
		return new IdempotencyKey(new IdempotencyScope("test", operation, null, null), key);
	}

	private static ClaimResult claim(TestServer server, String operation, String key, Duration lease) {
		return server.bean(SearchableStore.class)
			.claim(stored(operation, key), Fingerprint.none(),
					new ClaimTerms(lease, Duration.ofHours(1), OnCrash.REFUSE, OnReplay.READ));
	}

	@Test
	void asksTwiceBeforeItSettlesAsDoneWhatWasRolledBack() {
		try (TestServer banking = start(List.of(IdempotencyEndpointTests.Ledger.class), TestServer.WITH_SHARED_DATABASE,
				"idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=always")) {
			open(banking);
			until("book", () -> text("operations-table"));
			String operation = this.browser
				.findElement(By.xpath("//table[@id='operations-table']//b[contains(., 'book')]"))
				.getText();
			String key = TestServer.newKey();
			claim(banking, operation, key, Duration.ofMillis(1));
			openRecord(key, operation);
			until("what the attempt wrote was rolled back", () -> text("record-facts"));
			byId("settle").click();
			assertThat(text("settle-form")).contains("Its operation is transactional").doesNotContain("nevertheless");
			byId("outcome-not-done").click();
			assertThat(byId("settle-yes").isEnabled()).isTrue();
			byId("outcome-done").click();
			assertThat(byId("settle-yes").isEnabled()).isFalse();
			assertThat(Browser.withoutName(this.browser)).isEmpty();
			byId("force").click();
			Browser.picture(this.browser, "console-transactional");
			byId("settle-yes").click();
			until("Settled as done", () -> text("found"));
			leave();
		}
	}

	/**
	 * The page would complain of a server that is stopped.
	 */
	private void leave() {
		this.browser.get("about:blank");
	}

	@Test
	void offersNothingWhereItMayOnlyRead() {
		try (TestServer reading = start(List.of(), "management.endpoint.idempotency.access=")) {
			open(reading);
			String key = TestServer.newKey();
			claim(reading, "POST /payments", key, Duration.ofMillis(1));
			openRecord(key);
			until("abandoned", () -> text("record-facts"));
			assertThat(text("record")).contains("You can only look here", "management.endpoint.idempotency.access");
			assertThat(byId("forget").isDisplayed() || byId("settle").isDisplayed()).isFalse();
			Browser.picture(this.browser, "console-read-only");
			leave();
		}
	}

	@Test
	void findsAKeyByItsHash() {
		String key = TestServer.newKey();
		pay(key);
		byId("text").sendKeys(key, Keys.ENTER);
		until("One record.", () -> text("found"));
		String hash = this.browser.findElement(By.cssSelector("#found-table tbody .quiet")).getText();
		byId("text").clear();
		byId("text").sendKeys("no-such-key", Keys.ENTER);
		until("No record was found", () -> text("found"));
		byId("text").clear();
		byId("text").sendKeys(hash, Keys.ENTER);
		until("One record.", () -> text("found"));
	}

	@Test
	void showsALeaseThatRunsDown() {
		Payments payments = this.server.bean(Payments.class);
		payments.closeBank();
		CompletableFuture<Answer> transfer = CompletableFuture
			.supplyAsync(() -> this.server.post("/transfers").key(TestServer.newKey()).send());
		try {
			until("POST /transfers", () -> text("running-table"));
			WebElement bar = this.browser.findElement(By.cssSelector("#running-table progress"));
			assertThat(Double.parseDouble(bar.getAttribute("value"))).isBetween(1.0, 30_000.0);
			this.browser.findElement(By.cssSelector("#running-table button")).sendKeys(Keys.ENTER);
			until("in progress until its lease ends in ", () -> text("record-facts"));
		}
		finally {
			payments.openBank();
		}
		assertThat(transfer.join().status()).isEqualTo(200);
		until("Nothing is in progress.", () -> text("running-none"));
	}

	@Test
	void showsWhatIsProtected() {
		until("67 %", () -> text("score-text"));
		assertThat(text("operations-table")).contains("POST /mails", "unprotected", "POST /searches", "excluded",
				"header Idempotency-Key", "7 days");
	}

	@Test
	void saysWhyThereIsNoAnswer() {
		this.browser.executeScript("open('" + "0".repeat(64) + "')");
		until("There is no such record", () -> text("record-failure"));
	}

	/**
	 * Nothing is wider than a phone, everything can be reached, and everything has a
	 * name; dark or light.
	 */
	@Test
	void isReadableOnAPhoneInTheDark() {
		Payments payments = this.server.bean(Payments.class);
		payments.closeBank();
		List<CompletableFuture<Answer>> transfers = Stream
			.generate(() -> CompletableFuture
				.supplyAsync(() -> this.server.post("/transfers").key(TestServer.newKey()).send()))
			.limit(2)
			.toList();
		try {
			busyDay();
			until("2", () -> text("count-IN_PROGRESS"));
			Browser.picture(this.browser, "console");
		}
		finally {
			payments.openBank();
			transfers.forEach(CompletableFuture::join);
		}
		Browser.onAPhoneInTheDark(this.browser, () -> {
			open();
			byId("search").submit();
			until("newest first", () -> text("found"));
			Browser.picture(this.browser, "console-phone");
		});
		assertThat(Browser.withoutName(this.browser)).isEmpty();
	}

	/**
	 * Something to see on a picture: ten minutes of requests.
	 */
	private void busyDay() {
		Random random = new Random(1);
		for (int slice = 1; slice < RecentAttempts.SLICES; slice++) {
			this.server.bean(MovableClock.class).advance(RecentAttempts.SLICE);
			for (int i = random.nextInt(4 + slice / 30); i > 0; i--) {
				String key = TestServer.newKey();
				IntStream.rangeClosed(0, random.nextInt(2)).forEach((again) -> pay(key));
			}
			if (random.nextInt(12) == 0) {
				this.server.post("/payments").json("{}").send();
			}
		}
		byId("text").clear();
		byId("text").sendKeys(Keys.ENTER);
		until("newest first", () -> text("found"));
		int executed = this.server.bean(RecentAttempts.class)
			.series()
			.executed()
			.stream()
			.mapToInt(Long::intValue)
			.sum();
		until(String.valueOf(executed), () -> text("sum-executed"));
	}

	@Configuration(proxyBeanMethods = false)
	static class TenMinutesInNoTime {

		@Bean
		MovableClock clock() {
			return new MovableClock(Instant.EPOCH.plus(Duration.ofDays(1)));
		}

		@Bean
		RecentAttempts recentAttempts(MovableClock clock) {
			return new RecentAttempts(clock);
		}

	}

}
