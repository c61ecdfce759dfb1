package dev.idempotency.client;

import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.http.client.ClientHttpResponse;

/**
 * An answer that says when it is closed.
 */
final class ClosingResponse extends DecoratedResponse {

	private final AtomicBoolean closed = new AtomicBoolean();

	private final Runnable onClose;

	ClosingResponse(ClientHttpResponse response, Runnable onClose) {
		super(response);
		this.onClose = onClose;
	}

	@Override
	public void close() {
		super.close();
		if (this.closed.compareAndSet(false, true)) {
			this.onClose.run();
		}
	}

}
