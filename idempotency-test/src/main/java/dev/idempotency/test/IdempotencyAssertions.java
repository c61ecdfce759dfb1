package dev.idempotency.test;

import java.util.concurrent.Callable;

import org.assertj.core.api.Assertions;

/**
 * Assertions about responses of protected endpoints.
 */
public final class IdempotencyAssertions {

	private IdempotencyAssertions() {
	}

	/**
	 * Sends a request twice, and asserts that the second response is the replay of the
	 * first one: marked as such, with the same status, body, {@code Content-Type},
	 * {@code Location} and {@code ETag}. The test itself asserts that the handler ran
	 * once.
	 * @param <T> the type of the client's result: {@code MvcTestResult},
	 * {@code MvcResult} or {@code ResultActions} of MockMvc, {@code ExchangeResult} of
	 * {@code RestTestClient} or {@code WebTestClient}, {@code ResponseEntity} of
	 * {@code RestClient}, {@code RestTemplate} and {@code TestRestTemplate}, or
	 * {@code HttpResponse} of the JDK
	 * @param request sends the request, with the same key each time
	 */
	public static <T> T assertThatReplays(Callable<T> request) {
		T first = send(request);
		ReceivedAnswer original = ReceivedAnswer.of(first);
		if (original.isReplay()) {
			throw new AssertionError(
					"The first response is a replay: its key was used before. Use a new key.%n%s".formatted(original));
		}
		ReceivedAnswer retry = ReceivedAnswer.of(send(request));
		if (!retry.isReplay()) {
			throw new AssertionError(
					("The second response is no replay. Is the handler protected, do both requests have the same key "
							+ "and content, and is the first response one that is stored?%nFirst: %s%nSecond: %s")
						.formatted(original, retry));
		}
		Assertions.assertThat(retry.content()).as("the replay").isEqualTo(original.content());
		return first;
	}

	private static <T> T send(Callable<T> request) {
		try {
			return request.call();
		}
		catch (Exception ex) {
			throw new AssertionError("The request failed", ex);
		}
	}

}
