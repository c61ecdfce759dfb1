package dev.idempotency.web;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.idempotency.Idempotent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The limits of the container hold for the forms of protected handlers, as for those of
 * others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FormLimitTests implements Container.Choice {

	@AutoClose
	private TestServer server;

	@BeforeAll
	void start() {
		this.server = serve(List.of(WebTestApplication.class, Protected.class, Plain.class),
				"server.tomcat.max-parameter-count=100", "server.tomcat.max-http-form-post-size=20KB",
				"server.tomcat.max-part-count=5", "server.jetty.max-form-keys=100",
				"server.jetty.max-http-form-post-size=20KB");
	}

	@ParameterizedTest
	@CsvSource({ "90, 1000", "102, 1000", "5000, 1000", "1, 20000", "1, 21000", "1, 500000" })
	void holdForForms(int count, int size) {
		String form = IntStream.range(1, count).mapToObj((i) -> "p" + i + "=v&").collect(Collectors.joining());
		String padded = form + "note=" + "x".repeat(Math.max(0, size - form.length() - "note=".length()));
		for (boolean chunked : List.of(false, true)) {
			Answer plain = post("/unprotected-forms/form", padded, chunked);
			Answer answer = post("/protected-forms/form", padded, chunked);
			assertThat(answer.status()).as("%s parameters of %s: %s instead of %s", count, size, answer, plain)
				.isEqualTo(plain.status());
		}
	}

	private Answer post(String path, String form, boolean chunked) {
		String type = "application/x-www-form-urlencoded";
		if (chunked) {
			return RawClient.post(this.server, path)
				.header("Idempotency-Key", TestServer.newKey())
				.chunked(type, form)
				.send();
		}
		return this.server.post(path).key(TestServer.newKey()).body(type, form).send();
	}

	@ParameterizedTest
	@CsvSource({ "4", "6", "200" })
	void holdForParts(int count) {
		String body = IntStream.range(0, count)
			.mapToObj((i) -> "--xx\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\nv\r\n"
				.formatted((i == 0) ? "note" : "p" + i))
			.collect(Collectors.joining("", "", "--xx--\r\n"));
		String type = "multipart/form-data; boundary=xx";
		Answer plain = this.server.post("/unprotected-forms/form").key(TestServer.newKey()).body(type, body).send();
		Answer answer = this.server.post("/protected-forms/form").key(TestServer.newKey()).body(type, body).send();
		assertThat(answer.status()).as("%s parts: %s instead of %s", count, answer, plain).isEqualTo(plain.status());
	}

	@RestController
	@Idempotent
	@RequestMapping("/protected-forms")
	static class Protected extends Handler {

	}

	@RestController
	@RequestMapping("/unprotected-forms")
	static class Plain extends Handler {

	}

	static class Handler {

		@PostMapping("/form")
		String form(@RequestParam String note) {
			return "got " + note.length();
		}

	}

}
