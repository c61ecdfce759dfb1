package dev.idempotency.http;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyException;
import dev.idempotency.Reason;
import dev.idempotency.http.HttpAnswer.Delivery;
import org.jspecify.annotations.Nullable;

import org.springframework.context.MessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;

/**
 * Tells clients why a request did not run and what to do next. The texts go through
 * Spring's {@link ErrorResponse}. An application can replace or translate them under the
 * message codes that Spring has for every problem.
 */
public final class Problems {

	private static final Duration STORE_RETRY_AFTER = Duration.ofSeconds(5);

	private final HttpSettings settings;

	private final List<ProblemFormat> formats;

	private final ProblemFormat json;

	private final MessageSource messages;

	/**
	 * Create problems.
	 * @param settings how requests are protected
	 * @param formats the application's own formats, which take precedence over the
	 * built-in ones
	 */
	public Problems(HttpSettings settings, List<ProblemFormat> formats, MessageSource messages) {
		this.settings = settings;
		this.formats = Stream.concat(formats.stream(), Stream.of(ProblemFormat.json(), ProblemFormat.markdown()))
			.toList();
		this.json = this.formats.stream()
			.filter((format) -> format.mediaType().equalsTypeAndSubtype(MediaType.APPLICATION_PROBLEM_JSON))
			.findFirst()
			.orElseThrow();
		this.messages = messages;
	}

	/**
	 * The response to a request that did not run.
	 * @param ex why it did not
	 * @param accept the {@code Accept} header, or {@code null} if there is none
	 * @return the response, with headers that the caller may add to, or {@code null} if
	 * there is none for such an exception
	 */
	public @Nullable HttpAnswer toAnswer(IdempotencyException ex, @Nullable String accept, Locale locale) {
		// Whether it was stored makes no difference to a client
		Reason reason = (ex.reason() == Reason.RESULT_UNREADABLE) ? Reason.NOT_REPLAYABLE : ex.reason();
		String title = titleOf(reason);
		return (title != null) ? toAnswer(problem(reason, title, ex, locale), accept) : null;
	}

	private HttpAnswer toAnswer(Problem problem, @Nullable String accept) {
		ProblemFormat format = accepted(accept);
		Map<String, List<String>> headers = new LinkedHashMap<>();
		headers.put(HttpHeaders.CONTENT_TYPE, List.of(format.mediaType().toString()));
		if (problem.retryAfter() != null) {
			headers.put(HttpHeaders.RETRY_AFTER, List.of(String.valueOf(problem.retryAfterSeconds())));
		}
		if (problem.documentation() != null) {
			headers.put(HttpHeaders.LINK, List.of("<%s>; rel=\"describedby\"".formatted(problem.documentation())));
		}
		return new HttpAnswer(problem.status(), Delivery.WHOLE, headers, AnswerBody.of(format.write(problem)));
	}

	/**
	 * The format that a client prefers.
	 */
	private ProblemFormat accepted(@Nullable String header) {
		for (MediaType accepted : acceptedTypes(header)) {
			if (accepted.includes(MediaType.APPLICATION_PROBLEM_JSON)
					|| accepted.equalsTypeAndSubtype(MediaType.APPLICATION_JSON)) {
				return this.json;
			}
			for (ProblemFormat format : this.formats) {
				if (accepted.includes(format.mediaType())) {
					return format;
				}
			}
		}
		return this.json;
	}

	/**
	 * What the client accepts, in the order of its preference.
	 */
	private static List<MediaType> acceptedTypes(@Nullable String header) {
		if (header == null) {
			return List.of();
		}
		try {
			return MediaType.parseMediaTypes(header)
				.stream()
				.filter((type) -> type.getQualityValue() > 0)
				.sorted(Comparator.comparingDouble(MediaType::getQualityValue).reversed())
				.map(MediaType::removeQualityValue)
				.toList();
		}
		catch (InvalidMediaTypeException ex) {
			return List.of();
		}
	}

	private Problem problem(Reason reason, String title, IdempotencyException ex, Locale locale) {
		String detail = Objects.requireNonNullElse(detail(reason, ex), title);
		ProblemDetail words = ErrorResponse.builder(ex, HttpStatusCode.valueOf(statusOf(reason)), detail)
			.title(title)
			.build(this.messages, locale)
			.getBody();
		return new Problem(reason, statusOf(reason), uriOf(reason, this.settings.problemBase()),
				Objects.requireNonNullElse(words.getTitle(), title),
				Objects.requireNonNullElse(words.getDetail(), detail),
				(reason == Reason.STORE_UNAVAILABLE) ? STORE_RETRY_AFTER : ex.retryAfter(),
				this.settings.documentationUrl());
	}

	/**
	 * The status of the response to a request that did not run.
	 * @param reason why it did not
	 */
	public static int statusOf(Reason reason) {
		return switch (reason) {
			case KEY_MISSING, KEY_INVALID, BODY_UNREADABLE, DRY_RUN_INVALID -> 400;
			case IN_PROGRESS, OUTCOME_UNKNOWN, NOT_REPLAYABLE, RESULT_UNREADABLE -> 409;
			case KEY_EXPIRED -> 412;
			case BODY_TOO_LARGE -> 413;
			case REPLAY_DENIED -> 403;
			case KEY_REUSED -> 422;
			case REPLAY_LIMIT -> 429;
			case RESULT_TOO_LARGE, FAILURE_REPLAYED -> 500;
			case DRY_RUN_UNSUPPORTED -> 501;
			case STORE_UNAVAILABLE -> 503;
		};
	}

	/**
	 * Whether the request itself is wrong, whatever the state of its key.
	 * @param reason why a request did not run
	 */
	public static boolean isAboutRequest(Reason reason) {
		return switch (reason) {
			case KEY_MISSING, KEY_INVALID, BODY_TOO_LARGE, BODY_UNREADABLE -> true;
			case DRY_RUN_INVALID, DRY_RUN_UNSUPPORTED, KEY_EXPIRED, KEY_REUSED, IN_PROGRESS, OUTCOME_UNKNOWN,
					NOT_REPLAYABLE, REPLAY_LIMIT, REPLAY_DENIED, RESULT_UNREADABLE, RESULT_TOO_LARGE, FAILURE_REPLAYED,
					STORE_UNAVAILABLE ->
				false;
		};
	}

	/**
	 * What has happened, in a sentence without a full stop.
	 * @param reason why a request did not run
	 * @return the title, or {@code null} if it is no problem of HTTP clients
	 */
	public static @Nullable String titleOf(Reason reason) {
		return switch (reason) {
			case KEY_MISSING -> "A key is missing";
			case KEY_INVALID -> "The key cannot be used";
			case KEY_EXPIRED -> "The key is too old, or not yet valid";
			case KEY_REUSED -> "The key was used for another request";
			case IN_PROGRESS -> "The same request is still being processed";
			case OUTCOME_UNKNOWN -> "It is unknown whether the request was processed";
			case NOT_REPLAYABLE -> "The request was processed before";
			case REPLAY_LIMIT -> "The response was replayed too often";
			case REPLAY_DENIED -> "The response may not be replayed to this caller";
			case BODY_TOO_LARGE -> "The body is too large";
			case BODY_UNREADABLE -> "The body could not be read";
			case STORE_UNAVAILABLE -> "The request cannot be processed now";
			case DRY_RUN_INVALID -> "The request may be a dry run, or not";
			case DRY_RUN_UNSUPPORTED -> "A dry run is not possible here";
			case RESULT_UNREADABLE, RESULT_TOO_LARGE, FAILURE_REPLAYED -> null;
		};
	}

	/**
	 * The URI that identifies a kind of problem.
	 * @param reason why a request did not run
	 * @param base the beginning of all URIs
	 */
	public static String uriOf(Reason reason, String base) {
		return base + reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * What to do next.
	 */
	private static @Nullable String detail(Reason reason, IdempotencyException ex) {
		return switch (reason) {
			case KEY_MISSING, KEY_INVALID, RESULT_UNREADABLE, RESULT_TOO_LARGE, FAILURE_REPLAYED -> ex.getMessage();
			case KEY_REUSED ->
				"A key belongs to one request and its retries. Send this one with a new key, or repeat the first "
						+ "one exactly: method, path, query, content type and body.";
			case KEY_EXPIRED ->
				"Nothing is remembered under this key. If this request is a retry, the first one may have been "
						+ "processed: read the outcome from the resource itself. If it is new, correct the clock, and "
						+ "send it with a new key. Nothing was processed now.";
			case IN_PROGRESS -> "Repeat it later with the same key to get its response.";
			case OUTCOME_UNKNOWN ->
				"An earlier attempt was interrupted, and repeating it could do the work twice. Find out what "
						+ "became of it, or ask the operator of this service to decide.";
			case NOT_REPLAYABLE ->
				"Its response was not stored, or can no longer be read. It will not be processed again under this "
						+ "key: read the outcome from the resource itself.";
			case REPLAY_LIMIT ->
				"This request was processed, and its response was replayed as often as is allowed. Stop repeating it.";
			case REPLAY_DENIED ->
				"This request was processed, and its response may not be sent to you. Do not send it with another key, "
						+ "which could process it twice. Ask the operator of this service for access.";
			case BODY_TOO_LARGE ->
				"A request that is safe to repeat may have a body of at most %d bytes. Nothing was processed."
					.formatted(((RequestBodyTooLargeException) ex).limit());
			case BODY_UNREADABLE -> "The body is incomplete or malformed. Nothing was processed: send it again.";
			case STORE_UNAVAILABLE ->
				"Whether it was processed before cannot be looked up. Nothing was processed: repeat it later with "
						+ "the same key.";
			case DRY_RUN_INVALID ->
				"Send %s once, as ?1 or true for a dry run, or as ?0 or false, or leave it out. Nothing was processed."
					.formatted(DryRunHeader.NAME);
			case DRY_RUN_UNSUPPORTED ->
				"The outcome of this request is unknown until it is processed. Nothing was processed.";
		};
	}

}
