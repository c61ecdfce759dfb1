package dev.idempotency.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import dev.idempotency.servers.Browser;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The packaged sample application and its page in a real browser: every button does what
 * it says.
 */
@Tag("once")
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
abstract class SamplePageContract {

	/**
	 * What browsers complain of by themselves, and what the page shows in its answers.
	 */
	private static final Pattern REFUSAL = Pattern.compile("Failed to load resource.* status of (409|422|503|504)");

	/**
	 * Starting a second server takes its time on a busy machine.
	 */
	private static final Duration LONGEST = Duration.ofSeconds(150);

	private final List<String> settings = new ArrayList<>(List.of("--sample.report-time=300ms"));

	private Path folder = Path.of("");

	@SuppressWarnings("NullAway.Init")
	private ChromeDriver browser;

	@SuppressWarnings("NullAway.Init")
	private SampleProcess application;

	private int port;

	/**
	 * Starts the server that the profile needs.
	 * @return further settings of the application
	 */
	abstract List<String> startServer();

	@BeforeAll
	void start(@TempDir Path folder) {
		this.folder = folder;
		this.browser = Browser.open("--window-size=1280,1180");
		this.settings.addAll(startServer());
		startApplication();
	}

	@AfterAll
	void stop() {
		if (this.browser != null) {
			this.browser.quit();
		}
		if (this.application != null) {
			this.application.close();
		}
	}

	private void startApplication() {
		this.application = SampleProcess.start(this.folder, this.settings);
		this.port = this.application.port();
	}

	@BeforeEach
	void open() {
		this.browser.get("http://localhost:" + this.port + "/");
	}

	@AfterEach
	void complainsOfNothing() {
		assertThat(Browser.complaints(this.browser)).allMatch((line) -> REFUSAL.matcher(line).find());
	}

	private WebElement byId(String id) {
		return this.browser.findElement(By.id(id));
	}

	private String text(String id) {
		return byId(id).getText();
	}

	private void press(String id) {
		byId(id).click();
	}

	private void until(String expected, Supplier<String> actual) {
		Awaitility.await().atMost(LONGEST).untilAsserted(() -> assertThat(actual.get()).contains(expected));
	}

	private void untilSaid(String expected) {
		until(expected, () -> text("said"));
	}

	/**
	 * The columns of the newest answers, newest first.
	 */
	private List<String> answers(int column) {
		return read("#answers tbody td:nth-child(%d)".formatted(column)).stream()
			.map((cell) -> cell.lines().findFirst().orElse(""))
			.toList();
	}

	private List<String> ledger() {
		String order = "order " + text("order");
		return read("#ledger tbody tr").stream().filter((line) -> line.contains(order)).toList();
	}

	/**
	 * The texts of elements, read at once: the page may make them anew at any time.
	 */
	private List<String> read(String selector) {
		Object texts = this.browser
			.executeScript("return [...document.querySelectorAll(arguments[0])].map((it) => it.innerText)", selector);
		return ((List<?>) Objects.requireNonNull(texts)).stream().map(String::valueOf).toList();
	}

	private void showsChargesOfTheKey(int requests, int charges) {
		assertThat(text("key-requests") + " requests, " + text("key-charges") + " charges")
			.isEqualTo(requests + " requests, " + charges + " charges");
	}

	@Test
	void chargesOnceHoweverOftenPayIsPressed() {
		press("pay");
		untilSaid("Charged.");
		press("pay");
		untilSaid("Nothing ran. The stored response was replayed");
		showsChargesOfTheKey(2, 1);
		assertThat(answers(1)).containsExactly("Pay", "Pay");
		assertThat(answers(2)).containsExactly("201", "201");
		assertThat(answers(3)).containsExactly("noop", "created");
		assertThat(answers(4)).containsExactly("yes", "–");
		assertThat(ledger()).hasSize(1).first().asString().contains("anna").contains("20.00");
		assertThat(read("#timeline .bar.ran")).hasSize(1);
		assertThat(read("#timeline .bar.replayed")).hasSize(1);
	}

	@Test
	void chargesTwiceWithoutAKeyAndOnceWithIt() {
		press("pay-unprotected");
		untilSaid("Charged. Press it once more");
		press("pay-unprotected");
		untilSaid("Charged again.");
		assertThat(text("bare-requests")).isEqualTo("2");
		assertThat(text("bare-charges")).isEqualTo("2");
		assertThat(byId("without-key").getDomAttribute("class")).contains("bad");
		assertThat(ledger()).hasSize(2);
		press("pay");
		untilSaid("Charged.");
		press("pay");
		untilSaid("Nothing ran.");
		press("pay-other");
		untilSaid("Refused:");
		showsChargesOfTheKey(3, 1);
		assertThat(ledger()).hasSize(3);
		Browser.picture(this.browser, "sample");
	}

	@Test
	void chargesOnceForTwentyAtOnce() {
		press("pay-20");
		untilSaid("20 requests at once: 1 ran");
		showsChargesOfTheKey(20, 1);
		assertThat(ledger()).hasSize(1);
		press("pay");
		untilSaid("Nothing ran. The stored response was replayed");
		showsChargesOfTheKey(21, 1);
	}

	@Test
	void refusesAnotherAmount() {
		press("pay-other");
		untilSaid("Refused: the key was used for another amount.");
		assertThat(answers(2)).containsExactly("422", "201");
		assertThat(answers(3)).containsExactly("none", "created");
		showsChargesOfTheKey(2, 1);
	}

	@Test
	void saysWhatPayWouldDo() {
		press("dry-run");
		untilSaid("Pay would charge the customer.");
		showsChargesOfTheKey(0, 0);
		press("pay");
		untilSaid("Charged.");
		press("dry-run");
		untilSaid("Pay would replay the stored response.");
		assertThat(answers(3)).containsExactly("would_replay", "created", "would_execute");
		assertThat(ledger()).hasSize(1);
	}

	@Test
	void chargesOnceWhenTheServerIsKilledHalfway() {
		press("crash");
		untilSaid("The retry finished the job: 1 charge,");
		assertThat(answers(2)).startsWith("201").endsWith("killed");
		assertThat(answers(3).get(0)).isEqualTo("created");
		assertThat(text("key-charges")).isEqualTo("1");
		assertThat(ledger()).hasSize(1);
	}

	@Test
	void findsTheChargeAfterTheBankTimedOut() {
		press("timeout");
		untilSaid("It asked the bank and found the payment: 1 charge.");
		assertThat(answers(2)).containsExactly("200", "504");
		showsChargesOfTheKey(2, 1);
		assertThat(ledger()).hasSize(1);
	}

	@Test
	void refusesUntilAnOperatorSettlesTheKey() {
		press("silent");
		untilSaid("nobody knows whether the bank has charged");
		press("silent");
		until("409, 409, 504", () -> String.join(", ", answers(2)));
		showsChargesOfTheKey(3, 1);
		Browser.picture(this.browser, "sample-unknown");
		assertThat(this.browser.findElement(By.cssSelector("#said a")).getDomProperty("href"))
			.endsWith("/actuator/idempotencyconsole");
		String key = Objects.requireNonNull(byId("key").getDomProperty("value"));
		settleInTheConsole(key);
		press("silent");
		untilSaid("The retry got the response that the operator settled the key with.");
		assertThat(answers(2)).startsWith("201", "409");
		assertThat(answers(4)).startsWith("yes", "–");
		showsChargesOfTheKey(4, 1);
		assertThat(ledger()).hasSize(1);
	}

	private void settleInTheConsole(String key) {
		String page = this.browser.getWindowHandle();
		this.browser.switchTo().newWindow(WindowType.TAB);
		this.browser.get("http://operator:operator@localhost:" + this.port + "/actuator/idempotencyconsole");
		until("Updated", () -> text("updated"));
		byId("text").sendKeys(key, Keys.ENTER);
		until("One record.", () -> text("found"));
		this.browser.findElement(By.cssSelector("#found-table tbody button")).click();
		until("reported that its outcome is unknown", () -> text("record-facts"));
		press("settle");
		press("outcome-done");
		byId("answer-status").sendKeys("201");
		byId("answer-body").sendKeys("{\"id\": \"pay_7\"}");
		press("settle-yes");
		until("Settled as done", () -> text("found"));
		this.browser.close();
		this.browser.switchTo().window(page);
	}

	@Test
	void chargesAnotherUserWhoSendsTheSameKey() {
		press("pay");
		untilSaid("Charged.");
		press("pay");
		untilSaid("Nothing ran.");
		this.browser.findElement(By.cssSelector("input[value=ben]")).click();
		untilSaid("You are Ben now.");
		showsChargesOfTheKey(0, 0);
		press("pay");
		untilSaid("Charged.");
		showsChargesOfTheKey(1, 1);
		assertThat(ledger()).hasSize(2)
			.anyMatch((line) -> line.startsWith("anna"))
			.anyMatch((line) -> line.startsWith("ben"));
	}

	@ParameterizedTest
	@CsvSource({ "capture, Paid out to the shop once.", "refund, The money went back once.", "report, Made once:",
			"receipt, Filed once", "trip, each step ran once.", "stripe, 'Two deliveries, one line in the ledger'",
			"github, 'Two deliveries, one line in the ledger'" })
	void doesMoreThanPay(String button, String said) {
		this.browser.findElement(By.cssSelector("#more summary")).click();
		press(button);
		untilSaid(said);
	}

	@Test
	void canBeUsedWithoutAMouse() {
		this.browser.switchTo().activeElement().sendKeys(Keys.TAB);
		for (int i = 0; i < 20 && !"pay".equals(focused()); i++) {
			this.browser.switchTo().activeElement().sendKeys(Keys.TAB);
		}
		this.browser.switchTo().activeElement().sendKeys(Keys.ENTER);
		untilSaid("Charged.");
		this.browser.switchTo().activeElement().sendKeys(Keys.ENTER);
		untilSaid("Nothing ran.");
		showsChargesOfTheKey(2, 1);
		assertThat(Browser.withoutName(this.browser)).isEmpty();
	}

	private String focused() {
		return String.valueOf(this.browser.switchTo().activeElement().getDomAttribute("id"));
	}

	@Test
	void isReadableOnAPhoneInTheDark() {
		Browser.onAPhoneInTheDark(this.browser, () -> {
			open();
			press("pay");
			untilSaid("Charged.");
			press("pay");
			untilSaid("Nothing ran.");
			Browser.picture(this.browser, "sample-phone");
		});
	}

	@Test
	void replaysAnOldKeyAfterARestart() throws Exception {
		this.browser.get("about:blank");
		HttpResponse<String> before = pay("restart-1");
		this.application.stop();
		startApplication();
		HttpResponse<String> after = pay("restart-1");
		assertThat(before.statusCode()).isEqualTo(201);
		assertThat(before.headers().firstValue("Idempotent-Replayed")).isEmpty();
		assertThat(after.body()).isEqualTo(before.body());
		assertThat(after.headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	private HttpResponse<String> pay(String key) throws Exception {
		String credentials = Base64.getEncoder().encodeToString("anna:anna".getBytes(StandardCharsets.UTF_8));
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + "/payments"))
			.header("Authorization", "Basic " + credentials)
			.header("Idempotency-Key", key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{\"amount\":20.00,\"purpose\":\"shoes\"}"))
			.build();
		return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
	}

}
