package dev.idempotency.test;

import java.util.concurrent.Callable;

import org.assertj.core.api.Assertions;

/**
 * Assertions about answers of protected endpoints.
 */
public final class IdempotencyAssertions {

	private IdempotencyAssertions() {
	}

	/**
	 * Sends a request twice, and asserts that the second answer is the replay of the
	 * first one: marked as such, with the same status, body, {@code Content-Type},
	 * {@code Location} and {@code ETag}. Whether the handler ran once is for the test to
	 * look at, where it has left its traces.
	 * @param <T> what the client gives: {@code MvcTestResult}, {@code MvcResult} or
	 * {@code ResultActions} of MockMvc, {@code ExchangeResult} of {@code RestTestClient}
	 * or {@code WebTestClient}, {@code ResponseEntity} of {@code RestClient},
	 * {@code RestTemplate} and {@code TestRestTemplate}, or {@code HttpResponse} of the
	 * JDK
	 * @param request sends the request, with the same key each time
	 * @return the first answer
	 */
	public static <T> T assertThatReplays(Callable<T> request) {
		T first = send(request);
		ReceivedAnswer original = ReceivedAnswer.of(first);
		if (original.isReplay()) {
			throw new AssertionError(
					"The first answer is a replay: its key was used before. Take a new key.%n%s".formatted(original));
		}
		ReceivedAnswer retry = ReceivedAnswer.of(send(request));
		if (!retry.isReplay()) {
			throw new AssertionError(
					("The second answer is no replay. Is the handler protected, do both requests have the same key and "
							+ "content, and is the first answer one that is stored?%nFirst: %s%nSecond: %s")
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
