package dev.idempotency.guides;

import java.util.List;

import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of {@code docs/webflux.md} at work.
 */
class WebFluxGuideTests {

	@Test
	void runsOnceAndKnowsItsContext() {
		try (TestServer server = TestServer.startReactive(List.of(Application.class))) {
			Answer first = order(server);
			assertThat(first.status()).isEqualTo(200);
			assertThat(order(server).isReplay()).isTrue();
			assertThat(server.bean(ReactiveOrderController.class).saved()).hasSize(1);
			Answer refund = server.post("/reactive-refunds").key("r-1").send();
			assertThat(refund.text()).isEqualTo("r-1");
			assertThat(server.post("/reactive-refunds").key("r-1").send().isReplay()).isTrue();
			assertThat(server.post("/reactive-attempts").key("a-1").send().text()).isEqualTo("attempt 1");
		}
	}

	private static Answer order(TestServer server) {
		return server.post("/reactive-orders").key("o-1").json("{\"id\":\"1\",\"amount\":5}").send();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ReactiveOrderController.class, ReactiveOrderController.Routes.class })
	static class Application {

	}

}
