package dev.idempotency.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.client.ClientHttpResponse;

/**
 * A response that marks its call as failed if it breaks off while it is read.
 */
final class WatchedResponse extends DecoratedResponse {

	private final CallKey key;

	private @Nullable InputStream body;

	WatchedResponse(ClientHttpResponse response, CallKey key) {
		super(response);
		this.key = key;
	}

	@Override
	public InputStream getBody() throws IOException {
		if (this.body == null) {
			this.body = new WatchedStream(super.getBody(), this.key);
		}
		return this.body;
	}

	private static final class WatchedStream extends FilterInputStream {

		private final CallKey key;

		private WatchedStream(InputStream body, CallKey key) {
			super(body);
			this.key = key;
		}

		@Override
		public int read() throws IOException {
			try {
				return super.read();
			}
			catch (IOException | RuntimeException ex) {
				this.key.failed();
				throw BrokenAnswer.of(ex);
			}
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			try {
				return super.read(target, offset, length);
			}
			catch (IOException | RuntimeException ex) {
				this.key.failed();
				throw BrokenAnswer.of(ex);
			}
		}

	}

}
