package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends what a well-behaved client would not.
 */
final class RawClient {

	private static final int TIMEOUT = 30_000;

	private final TestServer server;

	private final String path;

	private final List<String> head = new ArrayList<>();

	private byte[] body = new byte[0];

	private boolean cutOff;

	private RawClient(TestServer server, String path) {
		this.server = server;
		this.path = path;
	}

	static RawClient post(TestServer server, String path) {
		return new RawClient(server, path);
	}

	RawClient header(String name, String value) {
		this.head.add(name + ": " + value);
		return this;
	}

	/**
	 * Sends the body in pieces, without saying how long it is.
	 */
	RawClient chunked(String type, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		ByteArrayOutputStream chunks = new ByteArrayOutputStream();
		int half = bytes.length / 2;
		for (byte[] chunk : List.of(Arrays.copyOf(bytes, half), Arrays.copyOfRange(bytes, half, bytes.length))) {
			if (chunk.length > 0) {
				chunks.writeBytes((Integer.toHexString(chunk.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
				chunks.writeBytes(chunk);
				chunks.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
			}
		}
		chunks.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
		this.body = chunks.toByteArray();
		return header("Content-Type", type).header("Transfer-Encoding", "chunked");
	}

	/**
	 * Sends a piece whose length is no number.
	 */
	RawClient malformedChunk(String type) {
		this.body = "length\r\n{}\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
		return header("Content-Type", type).header("Transfer-Encoding", "chunked");
	}

	/**
	 * Sends less than it says.
	 */
	RawClient cutOff(String type, int length, String beginning) {
		this.body = beginning.getBytes(StandardCharsets.UTF_8);
		this.cutOff = this.body.length < length;
		return header("Content-Type", type).header("Content-Length", String.valueOf(length));
	}

	/**
	 * Sends the request, tells the server that nothing more will come if something is
	 * missing, and reads the answer.
	 */
	Answer send() {
		try (Socket socket = open()) {
			if (this.cutOff) {
				socket.shutdownOutput();
			}
			return read(socket);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Sends the request and hangs up.
	 */
	void sendAndHangUp() {
		sendAndHangUpAfter(0);
	}

	/**
	 * Sends the request, waits, and resets the connection.
	 */
	void sendAndHangUpAfter(long nanos) {
		try (Socket socket = open()) {
			LockSupport.parkNanos(nanos);
			// Discards what the server may still send
			socket.setSoLinger(true, 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Socket open() throws IOException {
		Socket socket = new Socket("localhost", this.server.port());
		socket.setSoTimeout(TIMEOUT);
		String lines = "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n\r\n".formatted(this.path,
				String.join("\r\n", this.head));
		ByteArrayOutputStream request = new ByteArrayOutputStream();
		// Headers travel byte for byte
		request.writeBytes(lines.getBytes(StandardCharsets.ISO_8859_1));
		request.writeBytes(this.body);
		socket.getOutputStream().write(request.toByteArray());
		socket.getOutputStream().flush();
		return socket;
	}

	private static Answer read(Socket socket) throws IOException {
		byte[] all = socket.getInputStream().readAllBytes();
		String text = new String(all, StandardCharsets.ISO_8859_1);
		int end = text.indexOf("\r\n\r\n");
		if (end < 0) {
			throw new IOException("No answer, but " + text);
		}
		List<String> lines = text.substring(0, end).lines().toList();
		Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		for (String line : lines.subList(1, lines.size())) {
			int colon = line.indexOf(':');
			headers.computeIfAbsent(line.substring(0, colon), (name) -> new ArrayList<>())
				.add(line.substring(colon + 1).strip());
		}
		return new Answer(Integer.parseInt(lines.get(0).substring(9, 12)), headers,
				Arrays.copyOfRange(all, end + 4, all.length));
	}

}
