package dev.idempotency.web;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * A failure of a handler that Spring takes for a disconnected client, by the names of its
 * causes. A lost database connection, for example, ends in an {@code EOFException}, too.
 * Spring then leaves the response empty, with the status of a success.
 */
final class SwallowedFailure {

	private static final Logger logger = LoggerFactory.getLogger(SwallowedFailure.class);

	private SwallowedFailure() {
	}

	/**
	 * Sends an error if the response is empty because of such a failure.
	 */
	static void reveal(Exchange exchange, Object handler) {
		ExchangeResponse response = exchange.response();
		if (response.isErrorSent() || response.isCommitted() || response.getStatus() != HttpServletResponse.SC_OK) {
			return;
		}
		Throwable failure = find(exchange);
		if (failure == null) {
			return;
		}
		logger.warn("{} failed: {}", handler, failure.toString());
		logger.debug("The failure in full", failure);
		try {
			response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
		}
		catch (IOException ex) {
			logger.debug("The client of {} has disconnected", handler, ex);
		}
	}

	private static @Nullable Throwable find(Exchange exchange) {
		Object failure = exchange.request().getAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE);
		return (failure instanceof Throwable thrown && DisconnectedClientHelper.isClientDisconnectedException(thrown))
				? thrown : null;
	}

}
