package dev.idempotency.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.sample.ledger.Ledger;
import dev.idempotency.sample.ledger.LedgerLine;
import dev.idempotency.sample.webhooks.WebhookSignatures;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.TestIdempotency;
import dev.idempotency.test.TestIdempotencyConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

import static dev.idempotency.test.IdempotencyAssertions.assertThatReplays;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The service as its clients see it. Its page is looked at where there is a browser, by
 * the integration tests.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.datasource.url=jdbc:h2:mem:sample", "sample.card-network-time=50ms",
				"sample.report-time=50ms", "sample.webhook-secret=whsec" })
@Import(TestIdempotencyConfiguration.class)
class SampleApplicationTests {

	private static final int READ_AT_ONCE = 1000;

	private final HttpClient client = HttpClient.newHttpClient();

	private final String key = UUID.randomUUID().toString();

	/**
	 * Tells what one test did from what others did.
	 */
	private final String purpose = "shoes " + this.key;

	private final Ledger ledger;

	private final TestIdempotency idempotency;

	@LocalServerPort
	private int port;

	@Autowired
	SampleApplicationTests(Ledger ledger, TestIdempotency idempotency) {
		this.ledger = ledger;
		this.idempotency = idempotency;
	}

	@Test
	void paysOnceAndAnswersARetryWithTheSameReceipt() {
		HttpResponse<String> first = assertThatReplays(() -> pay("anna", "20.00"));
		assertThat(first.statusCode()).isEqualTo(201);
		assertThat(first.headers().firstValue("Idempotency-Effect")).hasValue("created");
		assertThat(linesAbout(this.purpose)).hasSize(1);
	}

	@Test
	void paysOnceAlsoWhenTheFirstAttemptCrashes() {
		this.idempotency.crashAfterWork(() -> pay("anna", "20.00"));
		assertThat(linesAbout(this.purpose)).isEmpty();
		assertThatReplays(() -> pay("anna", "20.00"));
		assertThat(linesAbout(this.purpose)).hasSize(1);
	}

	@Test
	void paysNothingWhileTheStoreIsDown() throws Exception {
		HttpResponse<String> answer = this.idempotency.failing(StoreVerb.CLAIM, Fault.BEFORE,
				() -> pay("anna", "20.00"));
		assertThat(answer.statusCode()).isEqualTo(503);
		assertThat(linesAbout(this.purpose)).isEmpty();
	}

	@Test
	void refusesAnotherAmountUnderTheSameKey() {
		pay("anna", "20.00");
		assertThat(pay("anna", "30.00").statusCode()).isEqualTo(422);
		assertThat(linesAbout(this.purpose)).hasSize(1);
	}

	@Test
	void takesTheSameKeyOfAnotherUserForAnotherPayment() {
		HttpResponse<String> annas = pay("anna", "20.00");
		HttpResponse<String> bens = pay("ben", "20.00");
		assertThat(isReplay(bens)).isFalse();
		assertThat(bens.body()).isNotEqualTo(annas.body()).contains("ben");
		assertThat(linesAbout(this.purpose)).extracting(LedgerLine::account).containsExactlyInAnyOrder("anna", "ben");
	}

	@Test
	void paysOnceWhenTwentyDuplicatesComeAtOnce() {
		List<HttpResponse<String>> answers = atOnce(20, payment("anna", "/payments", "20.00"));
		assertThat(answers).extracting(HttpResponse::statusCode).contains(201).isSubsetOf(201, 409);
		assertThat(bodies(answers, 201)).hasSize(1);
		assertThat(linesAbout(this.purpose)).hasSize(1);
	}

	@Test
	void paysTwiceWhereNothingProtectsIt() {
		send(payment("anna", "/unprotected/payments", "20.00"));
		send(payment("anna", "/unprotected/payments", "20.00"));
		assertThat(linesAbout(this.purpose)).hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "0.001", "10000.01", "null", "\"a\"" })
	void refusesAnAmountThatIsNone(String amount) {
		assertThat(pay("anna", amount).statusCode()).isEqualTo(400);
		assertThat(linesAbout(this.purpose)).isEmpty();
	}

	@Test
	void runsNothingForADryRun() {
		HttpResponse<String> dry = send(payment("anna", "/payments", "20.00").header("Idempotency-Dry-Run", "?1"));
		assertThat(dry.statusCode()).isEqualTo(200);
		assertThat(dry.headers().firstValue("Idempotency-Effect")).hasValue("would_execute");
		assertThat(linesAbout(this.purpose)).isEmpty();
	}

	@Test
	void capturesOnceAndLetsADuplicateWaitForTheAnswer() {
		String id = JsonPath.read(pay("ben", "7.13").body(), "$.id");
		List<HttpResponse<String>> answers = atOnce(5, request("ben", "/payments/" + id + "/capture"));
		assertThat(answers).extracting(HttpResponse::statusCode).containsOnly(200);
		assertThat(bodies(answers, 200)).hasSize(1);
		assertThat(linesAbout("paid out to the shop")).filteredOn((line) -> "7.13".equals(line.amount() + ""))
			.hasSize(1);
	}

	@Test
	void refundsOnce() {
		String id = JsonPath.read(pay("anna", "20.00").body(), "$.id");
		HttpRequest.Builder refund = request("anna", "/payments/" + id + "/refund");
		HttpResponse<String> first = send(refund);
		assertThat(first.body()).contains("REFUNDED");
		assertThat(send(refund).body()).isEqualTo(first.body());
		assertThat(linesAbout("refunded " + this.purpose)).hasSize(1);
	}

	@Test
	void refundsNoPaymentOfSomeoneElse() {
		String id = JsonPath.read(pay("anna", "20.00").body(), "$.id");
		assertThat(send(request("ben", "/payments/" + id + "/refund")).statusCode()).isEqualTo(404);
	}

	@Test
	void replaysAReportThatWasReadyLater() {
		HttpResponse<String> first = assertThatReplays(() -> send(request("anna", "/reports")));
		assertThat(first.statusCode()).isEqualTo(200);
	}

	@Test
	void filesAReceiptOnce() {
		HttpResponse<String> first = assertThatReplays(() -> send(upload("20 euros")));
		assertThat(first.statusCode()).isEqualTo(201);
		assertThat(send(upload("30 euros")).statusCode()).isEqualTo(422);
	}

	@Test
	void goesOnWithATaskWhereItFailed() {
		HttpRequest.Builder trip = request("anna", "/agent/trips")
			.POST(BodyPublishers.ofString("{\"destination\":\"%s\",\"amount\":99}".formatted(this.key)));
		long mails = linesAbout("agent sent the ticket by mail").size();
		HttpResponse<String> failed = send(trip.copy().header("Demo-Failing-Step", "mail"));
		HttpResponse<String> retry = send(trip);
		assertThat(failed.statusCode()).isEqualTo(503);
		assertThat(retry.statusCode()).isEqualTo(201);
		assertThat(linesAbout(this.key)).extracting(LedgerLine::what)
			.containsExactlyInAnyOrder("agent paid for " + this.key, "agent booked a seat to " + this.key);
		assertThat(linesAbout("agent sent the ticket by mail")).hasSize((int) mails + 1);
	}

	@Test
	void handlesAnEventOfStripeOnce() {
		assertThat(stripe("{\"id\":\"%s\",\"type\":\"%1$s\",\"pending_webhooks\":2}", "whsec").statusCode())
			.isEqualTo(204);
		assertThat(isReplay(stripe("{\"id\":\"%s\",\"type\":\"%1$s\",\"pending_webhooks\":1}", "whsec"))).isTrue();
		assertThat(linesAbout(this.key)).hasSize(1);
	}

	@Test
	void handlesAnEventOfGithubOnce() {
		assertThat(github("whsec").statusCode()).isEqualTo(204);
		assertThat(isReplay(github("whsec"))).isTrue();
		assertThat(linesAbout(this.key)).hasSize(1);
	}

	@Test
	void turnsForgedEventsAwayAndLeavesTheirIdsToTheGenuineOnes() {
		String event = "{\"id\":\"%s\",\"type\":\"%1$s\"}";
		assertThat(stripe(event, "guessed").statusCode()).isEqualTo(401);
		assertThat(github("guessed").statusCode()).isEqualTo(401);
		assertThat(isReplay(stripe(event, "whsec"))).isFalse();
		assertThat(isReplay(github("whsec"))).isFalse();
	}

	@Test
	void playsTheSenderWhoDeliversTwice() {
		for (String sender : List.of("stripe", "github")) {
			HttpResponse<String> deliveries = send(request("anna", "/demo/deliveries/" + sender));
			assertThat(JsonPath.<List<Boolean>>read(deliveries.body(), "$[*].replayed")).containsExactly(false, true);
		}
	}

	@Test
	void knowsItsUsers() {
		HttpRequest stranger = HttpRequest.newBuilder(uri("/payments")).build();
		assertThat(this.client.sendAsync(stranger, BodyHandlers.ofString()).join().statusCode()).isEqualTo(401);
		assertThat(get("anna", "/actuator/idempotency").statusCode()).isEqualTo(403);
		assertThat(get("operator", "/actuator/idempotency").statusCode()).isEqualTo(200);
		assertThat(get("operator", "/actuator/idempotencyconsole").body()).contains("<html");
	}

	@Test
	void leavesOneHandlerUnprotectedOnPurpose() {
		DocumentContext operations = JsonPath.parse(get("operator", "/actuator/idempotency/operations").body());
		assertThat(operations.<List<String>>read("$.operations[?(@.coverage == 'UNPROTECTED')].name"))
			.containsExactly("POST /unprotected/payments");
	}

	@Test
	void tellsClientsAboutTheKey() {
		DocumentContext document = JsonPath.parse(get("anna", "/v3/api-docs").body());
		assertThat(document.<List<Boolean>>read(
				"$.paths['/payments'].post.parameters[?(@.in == 'header' && @.name == 'Idempotency-Key')].required"))
			.containsExactly(true);
		assertThat(document.<Map<String, Object>>read("$.paths['/payments'].post.responses")).containsKeys("400", "409",
				"413", "422", "503");
		assertThat(document.<Set<String>>read("$.components.schemas.IdempotencyProblem.properties.keys()"))
			.containsExactlyInAnyOrder("type", "title", "status", "detail");
		assertThat(document.<Map<String, Object>>read("$.paths['/payments'].get")).doesNotContainKeys("parameters",
				"x-idempotency");
	}

	private List<LedgerLine> linesAbout(String what) {
		return this.ledger.latest(READ_AT_ONCE).stream().filter((line) -> line.what().contains(what)).toList();
	}

	private HttpResponse<String> pay(String user, String amount) {
		return send(payment(user, "/payments", amount));
	}

	private HttpRequest.Builder payment(String user, String path, String amount) {
		return request(user, path)
			.POST(BodyPublishers.ofString("{\"amount\":%s,\"purpose\":\"%s\"}".formatted(amount, this.purpose)));
	}

	private HttpRequest.Builder upload(String content) {
		String form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"r.txt\"\r\n\r\n%s\r\n--x--\r\n";
		return authorized("anna", "/receipts").header("Idempotency-Key", this.key)
			.header("Content-Type", "multipart/form-data; boundary=x")
			.POST(BodyPublishers.ofString(form.formatted(content)));
	}

	private HttpResponse<String> stripe(String template, String secret) {
		byte[] body = template.formatted(this.key).getBytes(StandardCharsets.UTF_8);
		return send(webhook("/webhooks/stripe", body).header("Stripe-Signature",
				WebhookSignatures.stripe(secret, Instant.now().getEpochSecond(), body)));
	}

	private HttpResponse<String> github(String secret) {
		byte[] body = "{\"action\":\"released\"}".getBytes(StandardCharsets.UTF_8);
		return send(webhook("/webhooks/github", body).header("X-GitHub-Delivery", this.key)
			.header("X-GitHub-Event", this.key)
			.header("X-Hub-Signature-256", WebhookSignatures.github(secret, body)));
	}

	private HttpRequest.Builder webhook(String path, byte[] body) {
		return HttpRequest.newBuilder(uri(path))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofByteArray(body));
	}

	private HttpResponse<String> get(String user, String path) {
		return send(authorized(user, path).header("Accept", path.endsWith("console") ? "text/html" : "application/json")
			.GET());
	}

	private HttpRequest.Builder request(String user, String path) {
		return authorized(user, path).header("Idempotency-Key", this.key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.noBody());
	}

	private HttpRequest.Builder authorized(String user, String path) {
		String credentials = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
		return HttpRequest.newBuilder(uri(path)).header("Authorization", "Basic " + credentials);
	}

	private URI uri(String path) {
		return URI.create("http://localhost:" + this.port + path);
	}

	private HttpResponse<String> send(HttpRequest.Builder request) {
		return this.client.sendAsync(request.build(), BodyHandlers.ofString()).join();
	}

	private List<HttpResponse<String>> atOnce(int times, HttpRequest.Builder request) {
		List<CompletableFuture<HttpResponse<String>>> answers = Stream
			.generate(() -> this.client.sendAsync(request.build(), BodyHandlers.ofString()))
			.limit(times)
			.toList();
		return answers.stream().map(CompletableFuture::join).toList();
	}

	private static Set<String> bodies(List<HttpResponse<String>> answers, int status) {
		return answers.stream()
			.filter((answer) -> answer.statusCode() == status)
			.map(HttpResponse::body)
			.collect(Collectors.toSet());
	}

	private static boolean isReplay(HttpResponse<String> answer) {
		return answer.headers().firstValue("Idempotent-Replayed").isPresent();
	}

}
