package dev.idempotency.sample;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * A way to a server on which each connection breaks sooner or later: somewhere in a
 * request, or somewhere in an answer, as chance will have it.
 */
final class CuttingProxy implements AutoCloseable {

	/**
	 * How far a connection comes at most: about four requests, or two answers.
	 */
	private static final int FARTHEST = 1500;

	private final ServerSocket socket;

	private final int target;

	private final Random random;

	private final AtomicInteger cutRequests = new AtomicInteger();

	private final AtomicInteger cutAnswers = new AtomicInteger();

	private volatile boolean cutting = true;

	private volatile @Nullable CountDownLatch held;

	CuttingProxy(int target, long seed) {
		this.target = target;
		this.random = new Random(seed);
		try {
			this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::acceptAll);
	}

	String url() {
		return "http://localhost:" + this.socket.getLocalPort();
	}

	int cutRequests() {
		return this.cutRequests.get();
	}

	int cutAnswers() {
		return this.cutAnswers.get();
	}

	/**
	 * Lets everything through from now on.
	 */
	CuttingProxy mended() {
		this.cutting = false;
		return this;
	}

	/**
	 * Keeps the next answer back, for ever.
	 * @return says when it has come
	 */
	CountDownLatch holdAnswer() {
		CountDownLatch answer = new CountDownLatch(1);
		this.held = answer;
		return answer;
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "cutting-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private void acceptAll() {
		try {
			while (true) {
				Socket client = this.socket.accept();
				Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
				client.setTcpNoDelay(true);
				server.setTcpNoDelay(true);
				long end = this.cutting ? this.random.nextInt(FARTHEST) : Long.MAX_VALUE;
				boolean inRequest = this.random.nextBoolean();
				long requests = inRequest ? end : Long.MAX_VALUE;
				long answers = inRequest ? Long.MAX_VALUE : end;
				start(() -> pump(client, server, requests, this.cutRequests, false));
				start(() -> pump(server, client, answers, this.cutAnswers, true));
			}
		}
		catch (IOException ex) {
			// Closed
		}
	}

	/**
	 * Carries so many bytes, and cuts the connection.
	 */
	private void pump(Socket from, Socket to, long bytes, AtomicInteger cut, boolean answers) {
		long left = bytes;
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			byte[] block = new byte[8192];
			for (int read = in.read(block); read >= 0; read = in.read(block)) {
				CountDownLatch holding = this.held;
				if (answers && holding != null) {
					this.held = null;
					holding.countDown();
					// Until either side is gone
					in.transferTo(OutputStream.nullOutputStream());
					return;
				}
				out.write(block, 0, (int) Math.min(read, left));
				out.flush();
				left -= read;
				if (left <= 0) {
					cut.incrementAndGet();
					return;
				}
			}
		}
		catch (IOException ex) {
			// Either side is gone
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
