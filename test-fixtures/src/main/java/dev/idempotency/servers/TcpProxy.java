package dev.idempotency.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import dev.idempotency.fixtures.Unchecked;

/**
 * A way to a server on which things go wrong, as its lines will have it.
 */
public final class TcpProxy implements AutoCloseable {

	/**
	 * What a line says that loses a block, and nothing else.
	 */
	public static final int SWALLOW = -1;

	private final ServerSocket listening;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final Supplier<Line> lines;

	private volatile int target;

	/**
	 * Stands before a server.
	 * @param target the server's port
	 * @param lines makes a line for each connection
	 */
	public TcpProxy(int target, Supplier<Line> lines) {
		this.target = target;
		this.lines = lines;
		try {
			this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::acceptAll);
	}

	public int port() {
		return this.listening.getLocalPort();
	}

	/**
	 * Leads new connections elsewhere.
	 */
	public void pointTo(int newTarget) {
		this.target = newTarget;
	}

	/**
	 * Cuts all connections that there are.
	 */
	public void cutAll() {
		this.sockets.forEach(TcpProxy::closeQuietly);
	}

	private void acceptAll() {
		while (!this.listening.isClosed()) {
			try {
				connect(this.listening.accept());
			}
			catch (IOException ex) {
				// Closed
			}
		}
	}

	private void connect(Socket client) {
		this.sockets.add(client);
		start(() -> {
			try {
				Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
				this.sockets.add(server);
				client.setTcpNoDelay(true);
				server.setTcpNoDelay(true);
				Line line = this.lines.get();
				start(() -> pump(client, server, line, false));
				pump(server, client, line, true);
			}
			catch (IOException ex) {
				// Nobody there
				forget(client);
			}
		});
	}

	private void pump(Socket from, Socket to, Line line, boolean answers) {
		try {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			byte[] block = new byte[8192];
			for (int read = in.read(block); read >= 0; read = in.read(block)) {
				int carried = line.carry(answers, read);
				if (carried > 0) {
					out.write(block, 0, carried);
					out.flush();
				}
				if (carried != SWALLOW && carried < read) {
					return;
				}
			}
		}
		catch (IOException ex) {
			// Either side is gone
		}
		finally {
			forget(from);
			forget(to);
		}
	}

	private void forget(Socket socket) {
		closeQuietly(socket);
		this.sockets.remove(socket);
	}

	private static void closeQuietly(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// Gone all the same
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "tcp-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() {
		Unchecked.run(() -> this.listening.close());
		cutAll();
	}

	/**
	 * Decides what gets through a connection. Both directions ask at the same time, and
	 * whoever makes them wait delays what they carry.
	 */
	@FunctionalInterface
	public interface Line {

		/**
		 * Says how much of a block gets through.
		 * @param answer whether it comes from the server
		 * @param bytes how much there is
		 * @return all of it; less, and the connection is cut after that; or
		 * {@link #SWALLOW}
		 */
		int carry(boolean answer, int bytes);

	}

}
