package dev.idempotency.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A way to a server on which answers get lost: the server has sent them, and the client
 * waits in vain.
 */
final class LossyProxy implements AutoCloseable {

	private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	private final int target;

	private final AtomicInteger answersToLose;

	private final AtomicInteger lost = new AtomicInteger();

	LossyProxy(int target, int answersToLose) throws IOException {
		this.target = target;
		this.answersToLose = new AtomicInteger(answersToLose);
		start(this::acceptAll);
	}

	int port() {
		return this.socket.getLocalPort();
	}

	int lostAnswers() {
		return this.lost.get();
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "lossy-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private void acceptAll() {
		try {
			while (true) {
				Socket client = this.socket.accept();
				Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
				start(() -> pump(client, server, false));
				start(() -> pump(server, client, true));
			}
		}
		catch (IOException ex) {
			// Closed
		}
	}

	private void pump(Socket from, Socket to, boolean answers) {
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			byte[] block = new byte[8192];
			for (int read = in.read(block); read >= 0; read = in.read(block)) {
				if (answers && this.answersToLose.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
					this.lost.incrementAndGet();
					continue;
				}
				out.write(block, 0, read);
				out.flush();
			}
		}
		catch (IOException ex) {
			// Either side is gone
		}
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
