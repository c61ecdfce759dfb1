package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.Reason;
import dev.idempotency.http.Problem;
import dev.idempotency.http.ProblemFormat;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.MediaType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Problems in the format that a client asks for.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProblemFormatTests {

	private static final String JSON = "application/problem+json";

	private static final String MARKDOWN = "text/markdown;charset=UTF-8";

	@AutoClose
	private final TestServer server = start(List.of(WebTestApplication.class, OwnFormat.class, OwnWords.class),
			"idempotency.http.documentation-url=https://example.com/keys");

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	/**
	 * A request without a key, which is refused.
	 */
	private Answer refusedFor(String accept) {
		return this.server.post("/kinds/route").header("Accept", accept).send();
	}

	@ParameterizedTest
	@ValueSource(strings = { "*/*", "application/json", "application/problem+json", "application/*",
			"application/*+json", "text/html", "text/html, */*;q=0.8", "application/json, text/markdown",
			"application/json, text/markdown;q=0.9", "text/markdown;q=0", "text/markdown;q=0, */*", "no type at all",
			"" })
	void areDocumentsForPrograms(String accept) {
		Answer answer = refusedFor(accept);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.header("Content-Type")).isEqualTo(JSON);
		assertThat(answer.text()).startsWith("{\"type\":\"urn:idempotency:key-missing\"");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "text/markdown", "text/markdown, application/json", "text/*", "text/markdown; charset=utf-8",
					"text/html, text/markdown;q=0.9, */*;q=0.1", "application/json;q=0.5, text/markdown" })
	void areProseForModels(String accept) {
		Answer answer = refusedFor(accept);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.header("Content-Type")).isEqualTo(MARKDOWN);
		assertThat(answer.header("Idempotency-Effect")).isEqualTo("none");
		assertThat(answer.text().lines()).containsExactly("# A key is missing", "",
				"Next step: This operation needs a key: send one, such as a random UUID, in the Idempotency-Key header, and the same one with each retry.",
				"", "Status 400, `urn:idempotency:key-missing`.", "", "More: <https://example.com/keys>");
	}

	@Test
	void saysHowLongToWait() {
		Problem problem = new Problem(Reason.IN_PROGRESS, 409, "urn:idempotency:in-progress",
				"The same request is still being processed", "Repeat it later.", Duration.ofMillis(2500), null);
		assertThat(new String(ProblemFormat.markdown().write(problem), StandardCharsets.UTF_8).lines()).containsExactly(
				"# The same request is still being processed", "", "Next step: Repeat it later. Wait 3 seconds first.",
				"", "Status 409, `urn:idempotency:in-progress`.");
	}

	@Test
	void areAsTheApplicationWritesThemWhereItDoes() {
		Answer answer = refusedFor("application/vnd.example+text");
		assertThat(answer.header("Content-Type")).isEqualTo("application/vnd.example+text");
		assertThat(answer.text()).isEqualTo("KEY_MISSING");
	}

	/**
	 * The codes are Spring's own. What is not translated stays as it is.
	 */
	@Test
	void areInTheWordsOfTheApplicationWhereItHasSome() {
		Answer german = this.server.post("/kinds/route").header("Accept-Language", "de").send();
		assertThat(german.text()).isEqualTo(
				"{\"type\":\"urn:idempotency:key-missing\",\"title\":\"Ein Schlüssel fehlt\",\"status\":400,\"detail\":\"This operation needs a key: send one, such as a random UUID, in the Idempotency-Key header, and the same one with each retry.\"}");
		assertThat(this.server.post("/kinds/route").header("Accept-Language", "en").send().text())
			.contains("\"title\":\"A key is missing\"");
		Answer prose = this.server.post("/kinds/route")
			.header("Accept-Language", "de")
			.header("Accept", "text/markdown")
			.send();
		assertThat(prose.text()).startsWith("# Ein Schlüssel fehlt\n");
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnWords {

		@Bean
		MessageSource messageSource() {
			StaticMessageSource messages = new StaticMessageSource();
			messages.addMessage("problemDetail.title." + IdempotencyKeyMissingException.class.getName(), Locale.GERMAN,
					"Ein Schlüssel fehlt");
			return messages;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnFormat {

		@Bean
		ProblemFormat ownFormat() {
			return new ProblemFormat() {

				@Override
				public MediaType mediaType() {
					return new MediaType("application", "vnd.example+text");
				}

				@Override
				public byte[] write(Problem problem) {
					return problem.reason().name().getBytes(StandardCharsets.UTF_8);
				}

			};
		}

	}

}
