package dev.idempotency.test;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.ResultActions;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.client.ExchangeResult;
import org.springframework.util.ClassUtils;

/**
 * A response, from any supported client.
 *
 * @param isReplay whether it is marked as a replay
 * @param content what a replay has in common with the original, by name
 */
record ReceivedAnswer(boolean isReplay, Map<String, Object> content) {

	private static final List<String> HEADERS = List.of("Content-Type", "Location", "ETag");

	private static final boolean SPRING_WEB = isPresent("org.springframework.http.ResponseEntity");

	private static final boolean SPRING_TEST = SPRING_WEB && isPresent("jakarta.servlet.Servlet")
			&& isPresent("org.springframework.test.web.servlet.client.ExchangeResult");

	private static final boolean WEB_TEST_CLIENT = SPRING_WEB && isPresent("reactor.core.publisher.Mono")
			&& isPresent("org.springframework.test.web.reactive.server.ExchangeResult");

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, ReceivedAnswer.class.getClassLoader());
	}

	static ReceivedAnswer of(@Nullable Object answer) {
		ReceivedAnswer received = (answer instanceof HttpResponse<?> response) ? ofJdk(response)
				: SPRING_WEB ? SpringClients.received(answer) : null;
		if (received == null) {
			throw new IllegalArgumentException("The request gave %s, which is not a response of a supported client"
				.formatted((answer != null) ? "a " + answer.getClass().getName() : "null"));
		}
		return received;
	}

	private static ReceivedAnswer ofJdk(HttpResponse<?> response) {
		return received(response.statusCode(), (name) -> response.headers().firstValue(name).orElse(null),
				response.body());
	}

	private static ReceivedAnswer received(int status, Function<String, @Nullable String> header,
			@Nullable Object body) {
		Map<String, Object> content = new TreeMap<>();
		content.put("status", status);
		content.put("body", (body instanceof byte[] bytes) ? text(bytes) : (body != null) ? body : "");
		for (String name : HEADERS) {
			String value = header.apply(name);
			if (value != null) {
				content.put(name, value);
			}
		}
		return new ReceivedAnswer(header.apply("Idempotent-Replayed") != null, content);
	}

	/**
	 * Converts bytes to a comparable text, with one character per byte, so that different
	 * bytes stay different.
	 */
	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.ISO_8859_1);
	}

	@Override
	public String toString() {
		return this.content.toString();
	}

	/**
	 * The clients of Spring, if it is present.
	 */
	private static final class SpringClients {

		static @Nullable ReceivedAnswer received(@Nullable Object answer) {
			if (answer instanceof ResponseEntity<?> entity) {
				return ReceivedAnswer.received(entity.getStatusCode().value(), entity.getHeaders()::getFirst,
						entity.getBody());
			}
			ReceivedAnswer reactive = WEB_TEST_CLIENT ? ReactiveTestClient.received(answer) : null;
			return (reactive == null && SPRING_TEST) ? TestClients.received(answer) : reactive;
		}

	}

	/**
	 * The clients of Spring's tests, if they are present.
	 */
	private static final class TestClients {

		static @Nullable ReceivedAnswer received(@Nullable Object answer) {
			if (answer instanceof MvcTestResult result) {
				return mock(result.getResponse());
			}
			if (answer instanceof ResultActions actions) {
				return mock(actions.andReturn().getResponse());
			}
			if (answer instanceof MvcResult result) {
				return mock(result.getResponse());
			}
			if (answer instanceof ExchangeResult result) {
				return ReceivedAnswer.received(result.getStatus().value(), result.getResponseHeaders()::getFirst,
						result.getResponseBodyContent());
			}
			return null;
		}

		private static ReceivedAnswer mock(MockHttpServletResponse response) {
			return ReceivedAnswer.received(response.getStatus(), response::getHeader, response.getContentAsByteArray());
		}

	}

	/**
	 * The test client of WebFlux, if it is present.
	 */
	private static final class ReactiveTestClient {

		static @Nullable ReceivedAnswer received(@Nullable Object answer) {
			if (answer instanceof org.springframework.test.web.reactive.server.ExchangeResult result) {
				return ReceivedAnswer.received(result.getStatus().value(), result.getResponseHeaders()::getFirst,
						result.getResponseBodyContent());
			}
			return null;
		}

	}

}
