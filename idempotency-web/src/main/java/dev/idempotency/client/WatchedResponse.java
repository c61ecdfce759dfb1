package dev.idempotency.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/**
 * An answer that tells its call if it breaks off while it is read.
 */
final class WatchedResponse implements ClientHttpResponse {

	private final ClientHttpResponse response;

	private final CallKey key;

	private @Nullable InputStream body;

	WatchedResponse(ClientHttpResponse response, CallKey key) {
		this.response = response;
		this.key = key;
	}

	@Override
	public HttpStatusCode getStatusCode() throws IOException {
		return this.response.getStatusCode();
	}

	@Override
	public String getStatusText() throws IOException {
		return this.response.getStatusText();
	}

	@Override
	public HttpHeaders getHeaders() {
		return this.response.getHeaders();
	}

	@Override
	public InputStream getBody() throws IOException {
		if (this.body == null) {
			this.body = new WatchedStream(this.response.getBody(), this.key);
		}
		return this.body;
	}

	@Override
	public void close() {
		this.response.close();
	}

	private static final class WatchedStream extends FilterInputStream {

		private final CallKey key;

		private WatchedStream(InputStream body, CallKey key) {
			super(body);
			this.key = key;
		}

		@Override
		public int read() throws IOException {
			return watched(super::read);
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			return watched(() -> super.read(target, offset, length));
		}

		private int watched(Reading reading) throws IOException {
			try {
				return reading.read();
			}
			catch (IOException ex) {
				this.key.failed();
				throw ex;
			}
		}

	}

	private interface Reading {

		int read() throws IOException;

	}

}
