package dev.idempotency.web;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A client that understands trailers.
 */
final class RawTrailers {

	private RawTrailers() {
	}

	/**
	 * The answer to a POST without a body, as it comes over the line.
	 */
	static String of(TestServer server, String path, String key) throws IOException {
		try (Socket socket = new Socket("localhost", server.port())) {
			socket.setSoTimeout(60_000);
			String request = "POST %s HTTP/1.1\r\nHost: localhost\r\nTE: trailers\r\nConnection: TE, close\r\n"
				.formatted(path) + "Idempotency-Key: %s\r\nContent-Length: 0\r\n\r\n".formatted(key);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}
