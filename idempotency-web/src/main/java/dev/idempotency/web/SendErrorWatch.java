package dev.idempotency.web;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Notices an error that is sent on an asynchronous dispatch, even if a wrapper between
 * the handler and our response holds it back. Some wrappers do, and render it after our
 * filter has returned.
 */
final class SendErrorWatch extends HttpServletResponseWrapper {

	private final Exchange exchange;

	SendErrorWatch(HttpServletResponse response, Exchange exchange) {
		super(response);
		this.exchange = exchange;
	}

	@Override
	public void sendError(int status) throws IOException {
		super.sendError(status);
		this.exchange.response().errorSent();
	}

	@Override
	public void sendError(int status, @Nullable String message) throws IOException {
		super.sendError(status, message);
		this.exchange.response().errorSent();
	}

}
