package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.reactor.netty.NettyWebServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract on WebFlux.
 */
class ReactiveHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return Reactive.start(List.of(WebTestApplication.class), properties);
	}

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

	@Test
	void runsOnNetty() {
		assertThat(server().container()).isInstanceOf(NettyWebServer.class);
	}

}
