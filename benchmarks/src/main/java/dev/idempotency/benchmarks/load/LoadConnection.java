package dev.idempotency.benchmarks.load;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The connection of one client: it sends a request, reads the whole response, and sends
 * the next. It does as little as possible, since it shares the machine with the
 * application.
 */
final class LoadConnection implements AutoCloseable {

	private final Socket socket;

	private final OutputStream output;

	private final InputStream input;

	private byte[] body = new byte[1024];

	LoadConnection(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setTcpNoDelay(true);
		this.output = this.socket.getOutputStream();
		this.input = new BufferedInputStream(this.socket.getInputStream(), 16 * 1024);
	}

	/**
	 * Sends a request.
	 * @return the response
	 */
	Answer ask(byte[] request) throws IOException {
		this.output.write(request);
		int status = Integer.parseInt(line().substring(9, 12));
		int length = -1;
		boolean chunked = false;
		boolean replayed = false;
		for (String header = line(); !header.isEmpty(); header = line()) {
			if (starts(header, "Content-Length: ")) {
				length = Integer.parseInt(header.substring(16));
			}
			chunked |= starts(header, "Transfer-Encoding: chunked");
			replayed |= starts(header, "Idempotent-Replayed: true");
		}
		return new Answer(status, replayed, chunked ? skipChunks() : skip(Math.max(length, 0)));
	}

	private static boolean starts(String header, String name) {
		return header.regionMatches(true, 0, name, 0, name.length());
	}

	private int skipChunks() throws IOException {
		int length = 0;
		for (int chunk = Integer.parseInt(line(), 16); chunk > 0; chunk = Integer.parseInt(line(), 16)) {
			length += skip(chunk);
			line();
		}
		line();
		return length;
	}

	private int skip(int length) throws IOException {
		if (this.body.length < length) {
			this.body = new byte[length];
		}
		if (this.input.readNBytes(this.body, 0, length) < length) {
			throw new EOFException();
		}
		return length;
	}

	@SuppressWarnings("deprecation")
	private String line() throws IOException {
		int length = 0;
		for (int next = this.input.read(); next != '\n'; next = this.input.read()) {
			if (next < 0) {
				throw new EOFException();
			}
			this.body[length++] = (byte) next;
		}
		return new String(this.body, 0, length - 1, StandardCharsets.ISO_8859_1);
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

	/**
	 * A response.
	 *
	 * @param status its status
	 * @param replayed whether it is marked as a replay
	 * @param length the length of the body
	 */
	record Answer(int status, boolean replayed, int length) {
	}

}
