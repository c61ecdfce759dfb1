package dev.idempotency.actuate;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that shows operators all there is, with protection switched off.
 */
class SwitchedOffActuatorTests {

	@SuppressWarnings("NullAway.Init")
	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.start(List.of(PaymentsApplication.class, ActuatorSecurityTests.Security.class),
				Stream.concat(Stream.of(PaymentsApplication.EXPOSED),
						Stream.of(TestServer.WITH_SECURITY, "idempotency.enabled=false",
								"management.endpoint.health.group.readiness.include=idempotency",
								"management.endpoint.idempotency.show-values=when-authorized",
								"management.endpoint.idempotency.roles=OPERATOR"))
					.toArray(String[]::new));
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	private static Answer operator(String method, String path) {
		byte[] credentials = "operator:secret".getBytes(StandardCharsets.UTF_8);
		return server.call(method, "/actuator" + path)
			.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials))
			.send();
	}

	@Test
	void runsEachTime() {
		for (int i = 1; i <= 2; i++) {
			Answer answer = server.post("/payments").key("k").json("{}").send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(201);
			assertThat(answer.text()).contains("no. " + i);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/idempotency", "/idempotency/records", "/idempotencyconsole" })
	void hasNothingToShow(String path) {
		assertThat(operator("GET", path).status()).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/health", "/health/readiness" })
	void saysSo(String path) {
		Answer answer = operator("GET", path);
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		assertThat(answer.text()).contains("\"status\":\"UNKNOWN\"", "idempotency.enabled is false");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/info", "/metrics", "/beans", "/conditions", "/configprops" })
	void leavesTheRestAsItIs(String path) {
		assertThat(operator("GET", path).status()).isEqualTo(200);
	}

}
