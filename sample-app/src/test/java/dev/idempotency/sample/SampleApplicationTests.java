package dev.idempotency.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class SampleApplicationTests {

	private final HttpClient client = HttpClient.newHttpClient();

	private final String key = UUID.randomUUID().toString();

	@LocalServerPort
	private int port;

	private final Ledger ledger;

	SampleApplicationTests(@Autowired Ledger ledger) {
		this.ledger = ledger;
	}

	@Test
	void paysOnceAndAnswersARetryWithTheSameReceipt() throws Exception {
		HttpResponse<String> first = pay("100 euros " + this.key);
		HttpResponse<String> retry = pay("100 euros " + this.key);
		assertThat(first.statusCode()).isEqualTo(201);
		assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
		assertThat(retry.statusCode()).isEqualTo(201);
		assertThat(retry.body()).isEqualTo(first.body());
		assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(charges()).isEqualTo(1);
	}

	@Test
	void refusesAnotherOrderUnderTheSameKey() throws Exception {
		pay("100 euros " + this.key);
		assertThat(pay("200 euros " + this.key).statusCode()).isEqualTo(422);
		assertThat(charges()).isEqualTo(1);
	}

	@Test
	void paysOnceWhenTwentyDuplicatesComeAtOnce() {
		List<CompletableFuture<HttpResponse<String>>> answers = Stream
			.generate(() -> this.client.sendAsync(request("100 euros " + this.key), BodyHandlers.ofString()))
			.limit(20)
			.toList();
		Set<String> receipts = answers.stream().map((answer) -> answer.join().body()).collect(Collectors.toSet());
		assertThat(receipts).hasSize(1);
		assertThat(charges()).isEqualTo(1);
	}

	@Test
	void tellsClientsAboutTheKey() throws Exception {
		HttpResponse<String> answer = this.client.send(
				HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + "/v3/api-docs")).build(),
				BodyHandlers.ofString());
		DocumentContext document = JsonPath.parse(answer.body());
		assertThat(document.<List<Boolean>>read(
				"$.paths['/payments'].post.parameters[?(@.in == 'header' && @.name == 'Idempotency-Key')].required"))
			.containsExactly(true);
		assertThat(document.<Map<String, Object>>read("$.paths['/payments'].post.responses")).containsOnlyKeys("201",
				"400", "409", "413", "422", "503");
		assertThat(document.<Map<String, Object>>read("$.paths['/payments'].post.responses.201.headers"))
			.containsOnlyKeys("Idempotent-Replayed", "Idempotency-Effect");
		assertThat(document.<Set<String>>read("$.components.schemas.IdempotencyProblem.properties.keys()"))
			.containsExactlyInAnyOrder("type", "title", "status", "detail");
		assertThat(document.<Map<String, Object>>read("$.paths['/payments'].get")).doesNotContainKeys("parameters",
				"x-idempotency");
	}

	private long charges() {
		return this.ledger.charges().stream().filter((charge) -> charge.contains(this.key)).count();
	}

	private HttpResponse<String> pay(String order) throws IOException, InterruptedException {
		return this.client.send(request(order), BodyHandlers.ofString());
	}

	private HttpRequest request(String order) {
		return HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + "/payments"))
			.header("Idempotency-Key", this.key)
			.POST(BodyPublishers.ofString(order))
			.build();
	}

}
