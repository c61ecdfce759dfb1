package dev.idempotency.web;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * A client that does what polite ones do not: it reads byte by byte, and hangs up
 * whenever it likes.
 */
interface Wire extends AutoCloseable {

	/**
	 * Sends a request without a body, and reads nothing yet.
	 */
	static Wire post(TestServer server, String path, String key) {
		return server.isHttp2() ? StreamWire.post(server, path, key) : SocketWire.post(server, path, key);
	}

	int status();

	@Nullable String header(String name);

	Wire readHead() throws IOException;

	/**
	 * Reads so much of the body.
	 */
	String read(int count) throws IOException;

	/**
	 * Reads what is left of the body.
	 * @throws IOException if the body does not come to its proper end
	 */
	String readToEnd() throws IOException;

	/**
	 * Whether nothing has come, not even after a moment.
	 */
	boolean isSilent() throws IOException;

	/**
	 * Hangs up at once, without a farewell: what is under way is lost.
	 */
	void hangUp();

	@Override
	void close() throws IOException;

}
