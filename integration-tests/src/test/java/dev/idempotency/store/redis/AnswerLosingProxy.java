package dev.idempotency.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a driver and its server, and cuts the connection when told to: after the
 * server has done its work, before the driver hears of it.
 */
final class AnswerLosingProxy implements AutoCloseable {

	private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final AtomicInteger toLose = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	private final int serverPort;

	AnswerLosingProxy(int serverPort) throws IOException {
		this.serverPort = serverPort;
		run(this::accept);
	}

	int port() {
		return this.listening.getLocalPort();
	}

	void loseNextAnswer() {
		this.toLose.incrementAndGet();
	}

	int lost() {
		return this.lost.get();
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.listening.accept();
			Socket server = new Socket(InetAddress.getLoopbackAddress(), this.serverPort);
			this.sockets.add(client);
			this.sockets.add(server);
			run(() -> pump(client, server, false));
			run(() -> pump(server, client, true));
		}
	}

	private void pump(Socket from, Socket to, boolean answers) throws IOException {
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			byte[] buffer = new byte[8192];
			for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
				if (answers && this.toLose.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
					this.lost.incrementAndGet();
					return;
				}
				out.write(buffer, 0, read);
			}
		}
	}

	private static void run(Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// The other side is gone
			}
		});
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.listening.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	private interface Task {

		void run() throws IOException;

	}

}
