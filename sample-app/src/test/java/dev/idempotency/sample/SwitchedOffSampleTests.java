package dev.idempotency.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The service with protection switched off: a retry does the work again, and nothing else
 * is different.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.datasource.url=jdbc:h2:mem:switched-off", "idempotency.enabled=false",
				"sample.card-network-time=1ms", "sample.report-time=1ms" })
@Tag("slow")
class SwitchedOffSampleTests {

	private final HttpClient client = HttpClient.newHttpClient();

	private final String key = UUID.randomUUID().toString();

	@LocalServerPort
	private int port;

	private HttpResponse<String> post(String path, String json, String... headers) throws Exception {
		String credentials = Base64.getEncoder().encodeToString("anna:anna".getBytes(StandardCharsets.UTF_8));
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + path))
			.header("Authorization", "Basic " + credentials)
			.header("Idempotency-Key", this.key)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(json));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return this.client.send(request.build(), BodyHandlers.ofString());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "/payments | {\"amount\":20.00,\"purpose\":\"shoes\"}", "/reports | {}",
			"/agent/trips | {\"destination\":\"Rome\",\"amount\":99}" })
	void worksEachTime(String path, String json) throws Exception {
		for (int i = 0; i < 2; i++) {
			HttpResponse<String> answer = post(path, json);
			assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
			assertThat(answer.headers().map()).doesNotContainKeys("idempotent-replayed", "idempotency-effect");
		}
	}

	@Test
	void capturesAndRefunds() throws Exception {
		String id = JsonPath.read(post("/payments", "{\"amount\":20.00,\"purpose\":\"hat\"}").body(), "$.id");
		for (String step : new String[] { "capture", "refund" }) {
			HttpResponse<String> answer = post("/payments/" + id + "/" + step, "");
			assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
		}
	}

	@Test
	void refusesADryRun() throws Exception {
		HttpResponse<String> answer = post("/payments", "{\"amount\":20.00,\"purpose\":\"coat\"}",
				"Idempotency-Dry-Run", "?1");
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(501);
	}

}
