package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * A request on a stream of HTTP/2, beside all others of its client on one connection. Who
 * hangs up resets the stream, and leaves the connection alone.
 */
final class StreamWire implements Wire {

	private static final long PATIENCE_MILLIS = 60_000;

	/**
	 * Long enough for what is under way to arrive.
	 */
	private static final long MOMENT_MILLIS = 150;

	private final CompletableFuture<HttpResponse<InputStream>> response;

	/**
	 * What is being read, and was not asked for yet.
	 */
	private @Nullable CompletableFuture<Integer> next;

	private StreamWire(CompletableFuture<HttpResponse<InputStream>> response) {
		this.response = response;
	}

	static StreamWire post(TestServer server, String path, String key) {
		HttpRequest request = HttpRequest.newBuilder(server.uri(path))
			.header("Idempotency-Key", key)
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		return new StreamWire(server.client().sendAsync(request, HttpResponse.BodyHandlers.ofInputStream()));
	}

	private static <T> T get(CompletableFuture<T> future) throws IOException {
		try {
			return future.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			throw new IOException(ex);
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public int status() {
		return this.response.join().statusCode();
	}

	@Override
	public @Nullable String header(String name) {
		return this.response.join().headers().firstValue(name).orElse(null);
	}

	@Override
	public Wire readHead() throws IOException {
		get(this.response);
		return this;
	}

	private int readByte() throws IOException {
		CompletableFuture<Integer> begun = this.next;
		if (begun != null) {
			this.next = null;
			return get(begun);
		}
		return this.response.join().body().read();
	}

	@Override
	public String read(int count) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		while (bytes.size() < count) {
			int read = readByte();
			if (read < 0) {
				throw new EOFException("The body is shorter: " + bytes.toString(StandardCharsets.UTF_8));
			}
			bytes.write(read);
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	@Override
	public String readToEnd() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int read = readByte(); read >= 0; read = readByte()) {
			bytes.write(read);
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	@Override
	public boolean isSilent() {
		if (this.next == null) {
			this.next = this.response.thenCompose((head) -> Background.start(() -> {
				try {
					return head.body().read();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}));
		}
		try {
			this.next.get(MOMENT_MILLIS, TimeUnit.MILLISECONDS);
			return false;
		}
		catch (TimeoutException ex) {
			return true;
		}
		catch (ExecutionException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void hangUp() {
		if (!this.response.cancel(true)) {
			try {
				close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	@Override
	public void close() throws IOException {
		if (this.response.isDone() && !this.response.isCompletedExceptionally()) {
			this.response.join().body().close();
		}
	}

}
