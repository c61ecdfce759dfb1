package dev.idempotency.web;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import dev.idempotency.Idempotent;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A body that is longer or shorter than its announced length, because a filter
 * decompresses it and leaves the announcement as it was.
 */
class AnnouncedLengthTests {

	@AutoClose
	private static final TestServer server = TestServer
		.start(List.of(WebTestApplication.class, Echo.class, Unzipping.class));

	/**
	 * Compressed, the first of them is longer than it is.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 1, 500, 100_000 })
	void allOfABodyThatAFilterUnzipsIsReadAndCompared(int length) throws IOException {
		String text = "a".repeat(length);
		String key = TestServer.newKey();
		assertThat(send(key, text)).satisfies((first) -> {
			assertThat(first.status()).isEqualTo(200);
			assertThat(first.text().equals(text)).as("all of %d characters", length).isTrue();
		});
		assertThat(send(key, text).isReplay()).isTrue();
		assertThat(send(key, text.substring(1) + "b").status()).isEqualTo(422);
	}

	private static Answer send(String key, String text) throws IOException {
		ByteArrayOutputStream zipped = new ByteArrayOutputStream();
		try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
			out.write(text.getBytes(StandardCharsets.UTF_8));
		}
		return server.post("/echo-unzipped").key(key).body("text/plain", zipped.toByteArray()).send();
	}

	@RestController
	static class Echo {

		/**
		 * Reads for itself: Spring's own converter believes the announcement.
		 */
		@Idempotent
		@PostMapping("/echo-unzipped")
		String echo(HttpServletRequest request) throws IOException {
			return new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}

	}

	@Order(IdempotencyFilter.DEFAULT_ORDER - 1)
	static class Unzipping extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			byte[] zipped = request.getInputStream().readAllBytes();
			byte[] body = new GZIPInputStream(new ByteArrayInputStream(zipped)).readAllBytes();
			chain.doFilter(new HttpServletRequestWrapper(request) {

				@Override
				public ServletInputStream getInputStream() {
					return new BufferedBody(body, null);
				}

			}, response);
		}

	}

}
