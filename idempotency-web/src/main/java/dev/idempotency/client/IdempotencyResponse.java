package dev.idempotency.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

import dev.idempotency.Effect;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMessage;

/**
 * What a response says about the execution of its request. The server uses this library,
 * or the same headers.
 */
public final class IdempotencyResponse {

	private static final String REPLAYED = "Idempotent-Replayed";

	private static final String EFFECT = "Idempotency-Effect";

	private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

	private final HttpHeaders headers;

	private IdempotencyResponse(HttpHeaders headers) {
		this.headers = headers;
	}

	/**
	 * Reads the headers of a response.
	 * @return what they say
	 */
	public static IdempotencyResponse of(HttpHeaders headers) {
		return new IdempotencyResponse(headers);
	}

	/**
	 * Reads the headers of a response.
	 * @param response the response, such as a {@code ResponseEntity}
	 * @return what they say
	 */
	public static IdempotencyResponse of(HttpEntity<?> response) {
		return of(response.getHeaders());
	}

	/**
	 * Reads the headers of a response.
	 * @param response the response, such as a {@code ClientHttpResponse}
	 * @return what they say
	 */
	public static IdempotencyResponse of(HttpMessage response) {
		return of(response.getHeaders());
	}

	/**
	 * Whether this is the replay of an earlier response: nothing ran for this request.
	 * @return whether the server says so
	 */
	public boolean isReplay() {
		return "true".equalsIgnoreCase(this.headers.getFirst(REPLAYED));
	}

	/**
	 * The effect of the request.
	 * @return empty if nothing ran for it ({@code noop} on a replay, {@code none}), if it
	 * was a dry run, or if the server does not say
	 */
	public Optional<Effect> effect() {
		return effectText().flatMap((text) -> Arrays.stream(Effect.values())
			.filter((effect) -> effect != Effect.INFERRED && effect.name().equalsIgnoreCase(text))
			.findFirst());
	}

	/**
	 * The effect of the request, as the server put it: {@code created}, {@code noop},
	 * {@code would_replay} and so on.
	 * @return empty if the server does not say
	 */
	public Optional<String> effectText() {
		return Optional.ofNullable(this.headers.getFirst(EFFECT));
	}

	/**
	 * How long to wait before the request is sent again. A date is compared with the
	 * {@code Date} header of the response, so that the clock of the client does not
	 * matter.
	 * @return empty if the server does not say, or the value is malformed
	 */
	public Optional<Duration> retryAfter() {
		String value = this.headers.getFirst(HttpHeaders.RETRY_AFTER);
		if (value == null) {
			return Optional.empty();
		}
		if (SECONDS.matcher(value.strip()).matches()) {
			return Optional.of(Duration.ofSeconds(Long.parseLong(value.strip())));
		}
		Long then = date(HttpHeaders.RETRY_AFTER);
		Long now = date(HttpHeaders.DATE);
		return (then != null && now != null) ? Optional.of(Duration.ofMillis(Math.max(0, then - now)))
				: Optional.empty();
	}

	private @Nullable Long date(String name) {
		try {
			long millis = this.headers.getFirstDate(name);
			return (millis != -1) ? millis : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
