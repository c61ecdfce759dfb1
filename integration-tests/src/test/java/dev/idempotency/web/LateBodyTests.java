package dev.idempotency.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Bodies that arrive after their handler was found not to run: their client sees the
 * answer, and so does the next request on the connection.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LateBodyTests implements Container.Choice {

	private static final int LIMIT = 64 * 1024;

	/**
	 * Milliseconds, enough for most answers of a server that does not wait for the body.
	 */
	private static final int LATE = 200;

	private static final int PATIENCE = 30_000;

	@AutoClose
	private final TestServer server = serve(List.of(WebTestApplication.class, Endpoints.class),
			"idempotency.http.max-request-body=64KB");

	@ParameterizedTest
	@CsvSource({ "no key, 10, 400", "no key, 20000, 400", "bad key, 10, 400", "a key, 65537, 413",
			"a key, 1000000, 413" })
	void ofARefusal(String what, int length, int status) throws IOException {
		String key = switch (what) {
			case "no key" -> null;
			case "bad key" -> "\"";
			default -> TestServer.newKey();
		};
		assertThatTheConnectionLasts("/alone", key, length, status);
	}

	@Test
	void ofAReplayThatComparesNothing() throws IOException {
		String key = TestServer.newKey();
		assertThat(this.server.post("/alone").key(key).body("text/plain", "x").send().status()).isEqualTo(200);
		assertThatTheConnectionLasts("/alone", key, 20_000, 200);
		assertThat(this.server.executions().of("alone")).isEqualTo(1);
	}

	@Test
	void thatAwaitsPermissionIsNotWaitedFor() throws IOException {
		try (Socket socket = open()) {
			send(socket, "POST /alone HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
				.formatted(LIMIT));
			String head = readHead(socket.getInputStream());
			// Tomcat asks for every body
			assertThat(head.startsWith("http/1.1 100") ? readHead(socket.getInputStream()) : head)
				.startsWith("http/1.1 400");
		}
	}

	private void assertThatTheConnectionLasts(String path, @Nullable String key, int length, int status)
			throws IOException {
		try (Socket socket = open()) {
			send(socket,
					"POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
						.formatted(path, (key != null) ? "Idempotency-Key: " + key + "\r\n" : "", length));
			socket.setSoTimeout(LATE);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(socket.getInputStream()::read);
			socket.setSoTimeout(PATIENCE);
			socket.getOutputStream().write(new byte[length]);
			String head = readHead(socket.getInputStream());
			assertThat(head).startsWith("http/1.1 " + status);
			if (head.contains("connection: close")) {
				// Tomcat does so after some errors
				return;
			}
			socket.getInputStream().readNBytes(lengthOf(head));
			send(socket, "POST /plain/void-length HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
			assertThat(readHead(socket.getInputStream())).startsWith("http/1.1 200");
		}
	}

	private Socket open() throws IOException {
		Socket socket = new Socket("localhost", this.server.port());
		socket.setSoTimeout(PATIENCE);
		return socket;
	}

	private static void send(Socket socket, String text) throws IOException {
		socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
	}

	private static int lengthOf(String head) {
		String name = "content-length: ";
		int start = head.indexOf(name) + name.length();
		return Integer.parseInt(head.substring(start, head.indexOf('\r', start)));
	}

	private static String readHead(InputStream in) throws IOException {
		StringBuilder head = new StringBuilder();
		while (head.indexOf("\r\n\r\n") < 0) {
			int next = in.read();
			if (next < 0) {
				throw new IOException("Closed after " + head);
			}
			head.append((char) next);
		}
		return head.toString().toLowerCase(Locale.ROOT);
	}

	@RestController
	record Endpoints(Executions executions) {

		@PostMapping("/alone")
		@Idempotent(fingerprint = false)
		String alone() {
			return this.executions.next("alone");
		}

	}

}
