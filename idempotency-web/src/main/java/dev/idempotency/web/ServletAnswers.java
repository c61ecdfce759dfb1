package dev.idempotency.web;

import java.io.IOException;
import java.util.List;

import dev.idempotency.http.AnswerBody;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpAnswer.Delivery;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.HttpHeaders;

/**
 * Writes each {@link HttpAnswer} to the response of a container.
 */
final class ServletAnswers {

	private ServletAnswers() {
	}

	static void writeEffect(EffectHeader effect, HttpServletResponse response) {
		response.setHeader(EffectHeader.NAME, effect.value());
	}

	/**
	 * Sends an {@code HttpAnswer} with its headers.
	 */
	static void send(HttpAnswer answer, HttpServletResponse response) throws IOException {
		answer.headers().forEach((name, values) -> {
			if (answer.delivery() != Delivery.REDIRECT || !name.equals(HttpHeaders.LOCATION)) {
				ResponseHeaders.write(response, name, values);
			}
		});
		sendWithoutHeaders(answer, response);
	}

	/**
	 * Sends an {@code HttpAnswer} whose headers the response already has.
	 */
	static void sendWithoutHeaders(HttpAnswer answer, HttpServletResponse response) throws IOException {
		response.setStatus(answer.status());
		List<String> location = (answer.delivery() == Delivery.REDIRECT) ? answer.headers().get(HttpHeaders.LOCATION)
				: null;
		if (location != null) {
			sendRedirect(answer, response, location.get(0));
			return;
		}
		if (answer.delivery() == Delivery.STREAMED) {
			response.flushBuffer();
		}
		else if (!answer.body().isEmpty()) {
			response.setContentLength(answer.body().length());
		}
		writeBody(answer.body(), response);
	}

	private static void sendRedirect(HttpAnswer answer, HttpServletResponse response, String location)
			throws IOException {
		if (answer.status() == HttpServletResponse.SC_FOUND && answer.body().isEmpty()) {
			// Filters are most likely to override this method
			response.sendRedirect(location);
			return;
		}
		writeBody(answer.body(), response);
		response.sendRedirect(location, answer.status(), answer.body().isEmpty());
	}

	private static void writeBody(AnswerBody body, HttpServletResponse response) throws IOException {
		if (!body.isEmpty()) {
			body.writeTo(response.getOutputStream());
		}
	}

}
