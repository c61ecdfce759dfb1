package dev.idempotency.client;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * Someone else's service: it notes what it gets, and answers as it was told to.
 */
final class Provider implements AutoCloseable {

	static {
		// Otherwise each answer waits 40 ms for an acknowledgement
		System.setProperty("sun.net.httpserver.nodelay", "true");
	}

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpServer server;

	private final List<Received> received = new CopyOnWriteArrayList<>();

	private final Deque<Reply> replies = new ArrayDeque<>();

	Provider() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.createContext("/", this::handle);
		this.server.setExecutor(this.threads);
		this.server.start();
	}

	String url() {
		return "http://localhost:" + this.server.getAddress().getPort();
	}

	/**
	 * Answers in this way before it answers with success.
	 */
	Provider replying(Reply... replies) {
		synchronized (this.replies) {
			this.replies.addAll(Arrays.asList(replies));
		}
		return this;
	}

	List<Received> received() {
		return this.received;
	}

	List<String> keys() {
		return keys("Idempotency-Key");
	}

	List<String> keys(String header) {
		return this.received.stream().map((one) -> one.header(header)).toList();
	}

	private void handle(HttpExchange exchange) throws IOException {
		String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
		this.received.add(new Received(exchange, body));
		Reply reply;
		synchronized (this.replies) {
			reply = this.replies.isEmpty() ? Reply.of(200) : this.replies.removeFirst();
		}
		reply.send(exchange);
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/**
	 * What came.
	 */
	record Received(HttpExchange exchange, String body) {

		String header(String name) {
			return Objects.requireNonNullElse(this.exchange.getRequestHeaders().getFirst(name), "");
		}

	}

	/**
	 * An answer, or none.
	 */
	interface Reply {

		void send(HttpExchange exchange) throws IOException;

		/**
		 * An answer that has arrived.
		 * @param headers names and values
		 */
		static Reply of(int status, String... headers) {
			return with(status, "{\"id\":\"ch-1\"}", headers);
		}

		static Reply problem(int status, String type) {
			return with(status, "{\"type\":\"urn:idempotency:" + type + "\"}", "Content-Type",
					"application/problem+json");
		}

		static Reply with(int status, String body, String... headers) {
			return (exchange) -> {
				byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
				exchange.getResponseHeaders().set("Content-Type", "application/json");
				for (int i = 0; i < headers.length; i += 2) {
					exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
				}
				exchange.sendResponseHeaders(status, bytes.length);
				try (OutputStream out = exchange.getResponseBody()) {
					out.write(bytes);
				}
			};
		}

		/**
		 * An answer in two pieces.
		 */
		static Reply inPieces(String type, String first, String second) {
			return (exchange) -> {
				exchange.getResponseHeaders().set("Content-Type", type);
				exchange.sendResponseHeaders(200, 0);
				try (OutputStream out = exchange.getResponseBody()) {
					out.write(first.getBytes(StandardCharsets.UTF_8));
					out.flush();
					out.write(second.getBytes(StandardCharsets.UTF_8));
				}
			};
		}

		/**
		 * No answer, on a connection that stays open.
		 * @param then called when nothing more will come
		 */
		static Reply silent(Runnable then) {
			return (exchange) -> waitForTheEnd(then);
		}

		/**
		 * The beginning of an answer, on a connection that stays open.
		 * @param then called when nothing more will come
		 */
		static Reply stalled(Runnable then) {
			return (exchange) -> {
				exchange.getResponseHeaders().set("Content-Type", "application/json");
				exchange.sendResponseHeaders(200, 100);
				exchange.getResponseBody().write("{\"id\":".getBytes(StandardCharsets.UTF_8));
				exchange.getResponseBody().flush();
				waitForTheEnd(then);
			};
		}

		private static void waitForTheEnd(Runnable then) throws IOException {
			then.run();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				throw new IOException(ex);
			}
		}

		/**
		 * A connection that breaks before the answer.
		 */
		static Reply lost() {
			return HttpExchange::close;
		}

		/**
		 * A connection that breaks in the middle of the answer.
		 */
		static Reply cut() {
			return (exchange) -> {
				exchange.getResponseHeaders().set("Content-Type", "application/json");
				exchange.sendResponseHeaders(200, 100);
				exchange.getResponseBody().write("{\"id\":".getBytes(StandardCharsets.UTF_8));
				exchange.getResponseBody().flush();
				exchange.close();
			};
		}

	}

}
