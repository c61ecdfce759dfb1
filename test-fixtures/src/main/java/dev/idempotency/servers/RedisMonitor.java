package dev.idempotency.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * The server's own account of what its clients send.
 */
public final class RedisMonitor implements AutoCloseable {

	private final RedisServerProcess server;

	private final Socket socket;

	private final BufferedReader lines;

	public RedisMonitor(RedisServerProcess server) throws IOException {
		this.server = server;
		this.socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
		this.socket.setSoTimeout(10_000);
		this.socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
		this.lines = new BufferedReader(
				new InputStreamReader(this.socket.getInputStream(), StandardCharsets.ISO_8859_1));
		next();
	}

	private String next() {
		try {
			return this.lines.readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The names of the commands that clients sent since this was last asked.
	 */
	public List<String> commands() {
		String end = UUID.randomUUID().toString();
		this.server.send("ECHO " + end);
		List<String> commands = new ArrayList<>();
		for (String line = next(); !line.contains(end); line = next()) {
			// What a script does is no round trip
			if (!line.contains(" lua] ")) {
				commands.add(line.split("\"", 3)[1].toLowerCase(Locale.ROOT));
			}
		}
		return commands;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
