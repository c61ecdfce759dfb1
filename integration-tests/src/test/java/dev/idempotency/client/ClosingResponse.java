package dev.idempotency.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/**
 * An answer that says when it is closed.
 */
final class ClosingResponse implements ClientHttpResponse {

	private final AtomicBoolean closed = new AtomicBoolean();

	private final ClientHttpResponse response;

	private final Runnable onClose;

	ClosingResponse(ClientHttpResponse response, Runnable onClose) {
		this.response = response;
		this.onClose = onClose;
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
		return this.response.getBody();
	}

	@Override
	public void close() {
		this.response.close();
		if (this.closed.compareAndSet(false, true)) {
			this.onClose.run();
		}
	}

}
