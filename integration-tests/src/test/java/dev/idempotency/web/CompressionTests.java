package dev.idempotency.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.zip.GZIPInputStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is stored is the answer, not the way in which it was once transferred.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompressionTests {

	@AutoClose
	private final TestServer server = start(List.of(WebTestApplication.class), "server.compression.enabled=true",
			"server.compression.min-response-size=1", "server.compression.mime-types=application/json,text/plain");

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@ParameterizedTest
	@ValueSource(strings = { "body", "void-flush", "streaming", "large", "advised-exception" })
	void repeatsACompressedAnswerToAClientThatWantsItPlain(String kind) throws IOException {
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/" + kind).key(key).header("Accept-Encoding", "gzip").send();
		assertThat(first.header("Content-Encoding")).isEqualTo("gzip");
		Answer again = this.server.post("/kinds/" + kind).key(key).send();
		assertThat(again.isReplay()).isTrue();
		assertThat(again.status()).isEqualTo(first.status());
		assertThat(again.header("Content-Encoding")).isEmpty();
		assertThat(again.header("Content-Type")).isEqualTo(first.header("Content-Type"));
		assertThat(again.body()).isEqualTo(unzip(first.body()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "body", "large" })
	void compressesTheRepetitionOfAPlainAnswer(String kind) throws IOException {
		String key = TestServer.newKey();
		Answer first = this.server.post("/kinds/" + kind).key(key).send();
		Answer again = this.server.post("/kinds/" + kind).key(key).header("Accept-Encoding", "gzip").send();
		assertThat(again.isReplay()).isTrue();
		assertThat(again.header("Content-Encoding")).isEqualTo("gzip");
		assertThat(unzip(again.body())).isEqualTo(first.body());
	}

	private static byte[] unzip(byte[] bytes) throws IOException {
		try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
			return in.readAllBytes();
		}
	}

}
