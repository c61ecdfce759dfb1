package dev.idempotency.web;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * A request on a connection of its own.
 */
final class SocketWire implements Wire {

	private static final int PATIENCE_MILLIS = 60_000;

	/**
	 * Long enough for what is under way to arrive.
	 */
	private static final int MOMENT_MILLIS = 150;

	private final Socket socket;

	private final InputStream in;

	private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

	private int status;

	/**
	 * What is left of the body, or of the current chunk of it.
	 */
	private long left;

	private boolean chunked;

	private boolean chunkBegun;

	private SocketWire(Socket socket) throws IOException {
		this.socket = socket;
		this.in = new BufferedInputStream(socket.getInputStream());
	}

	static SocketWire post(TestServer server, String path, String key) {
		try {
			Socket socket = new Socket();
			// The server is to notice that nobody reads
			socket.setReceiveBufferSize(4096);
			socket.setSoTimeout(PATIENCE_MILLIS);
			socket.connect(new InetSocketAddress("localhost", server.port()));
			SocketWire wire = new SocketWire(socket);
			String request = "POST %s HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: %s\r\nContent-Length: 0\r\n\r\n"
				.formatted(path, key);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			return wire;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public int status() {
		return this.status;
	}

	@Override
	public @Nullable String header(String name) {
		return this.headers.get(name);
	}

	@Override
	public SocketWire readHead() throws IOException {
		String statusLine = readLine();
		this.status = Integer.parseInt(statusLine.substring(9, 12));
		for (String line = readLine(); !line.isEmpty(); line = readLine()) {
			int colon = line.indexOf(':');
			this.headers.merge(line.substring(0, colon), line.substring(colon + 1).strip(), (a, b) -> a + ", " + b);
		}
		this.chunked = "chunked".equals(header("Transfer-Encoding"));
		String length = header("Content-Length");
		this.left = (length != null) ? Long.parseLong(length) : 0;
		return this;
	}

	private String readLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = readByte(); next != '\n'; next = readByte()) {
			line.write(next);
		}
		return line.toString(StandardCharsets.UTF_8).stripTrailing();
	}

	private int readByte() throws IOException {
		int next = this.in.read();
		if (next < 0) {
			throw new EOFException("The server has hung up in the middle of its answer");
		}
		return next;
	}

	@Override
	public String read(int count) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		while (bytes.size() < count) {
			int next = readBodyByte();
			if (next < 0) {
				throw new EOFException("The body is shorter: " + bytes.toString(StandardCharsets.UTF_8));
			}
			bytes.write(next);
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	@Override
	public String readToEnd() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int next = readBodyByte(); next >= 0; next = readBodyByte()) {
			bytes.write(next);
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	private int readBodyByte() throws IOException {
		if (this.left == 0) {
			if (!this.chunked) {
				return -1;
			}
			if (this.chunkBegun) {
				readLine();
			}
			this.left = Long.parseLong(readLine().toLowerCase(Locale.ROOT), 16);
			this.chunkBegun = true;
			if (this.left == 0) {
				readLine();
				this.chunked = false;
				return -1;
			}
		}
		int next = readByte();
		this.left--;
		return next;
	}

	@Override
	public boolean isSilent() throws IOException {
		this.socket.setSoTimeout(MOMENT_MILLIS);
		try {
			if (this.chunkBegun && this.left == 0) {
				// Still belongs to what was read, but some servers send it with what
				// comes next
				readLine();
				this.chunkBegun = false;
			}
			this.in.mark(1);
			this.in.read();
			this.in.reset();
			return false;
		}
		catch (SocketTimeoutException ex) {
			return true;
		}
		finally {
			this.socket.setSoTimeout(PATIENCE_MILLIS);
		}
	}

	@Override
	public void hangUp() {
		try {
			this.socket.setSoLinger(true, 0);
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
