package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract without anything around.
 */
class PlainHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return TestServer.start(List.of(WebTestApplication.class), properties);
	}

	/**
	 * Filters that hold answers themselves lose such an answer, with us or without.
	 */
	@Test
	void repeatsTheAnswerOfAHandlerThatProcessesItsRequestAsynchronouslyByItself() {
		String key = TestServer.newKey();
		Answer first = server().post("/kinds/raw-async").key(key).send();
		assertThat(first.text()).startsWith("raw-async no. 1 ");
		Answer again = server().post("/kinds/raw-async").key(key).send();
		assertThat(again.isReplay()).isTrue();
		assertThat(again.lastingHeaders()).isEqualTo(first.lastingHeaders());
		assertThat(again.body()).isEqualTo(first.body());
	}

}
