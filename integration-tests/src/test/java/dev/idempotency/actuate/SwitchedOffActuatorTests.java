package dev.idempotency.actuate;

import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that shows operators all there is, with protection switched off.
 */
class SwitchedOffActuatorTests {

	@AutoClose
	private static final TestServer server = ActuatorSecurityTests.startOnServlets("idempotency.enabled=false",
			"management.endpoint.health.group.readiness.include=idempotency");

	private static Answer operator(String path) {
		return ActuatorSecurityTests.as(server, "operator", "GET", path);
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
		assertThat(operator(path).status()).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/health", "/health/readiness" })
	void saysSo(String path) {
		Answer answer = operator(path);
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		assertThat(answer.text()).contains("\"status\":\"UNKNOWN\"", "idempotency.enabled is false");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/info", "/metrics", "/beans", "/conditions", "/configprops" })
	void leavesTheRestAsItIs(String path) {
		assertThat(operator(path).status()).isEqualTo(200);
	}

}
