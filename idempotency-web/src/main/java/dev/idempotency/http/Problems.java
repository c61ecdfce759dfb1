package dev.idempotency.http;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.HttpAnswer.Delivery;
import org.jspecify.annotations.Nullable;

import org.springframework.context.MessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;

/**
 * Tells clients why a request did not run and what to do next. The words go through
 * Spring's {@link ErrorResponse}, so that an application can say them in its own, or in
 * the client's language, under the message codes that Spring has for every problem.
 */
public final class Problems {

	private static final Duration STORE_RETRY_AFTER = Duration.ofSeconds(5);

	private final HttpSettings settings;

	private final ProblemFormats formats;

	private final MessageSource messages;

	/**
	 * Create problems.
	 * @param settings how requests are protected
	 * @param formats the application's own ways to write problems
	 * @param messages the application's words
	 */
	public Problems(HttpSettings settings, List<ProblemFormat> formats, MessageSource messages) {
		this.settings = settings;
		this.formats = new ProblemFormats(formats);
		this.messages = messages;
	}

	/**
	 * The answer to a request that did not run.
	 * @param ex why it did not
	 * @param accept the {@code Accept} header, or {@code null} if there is none
	 * @param locale the client's language
	 * @return the answer, with headers that the caller may add to, or {@code null} if
	 * there is none for such an exception
	 */
	public @Nullable HttpAnswer toAnswer(IdempotencyException ex, @Nullable String accept, Locale locale) {
		Problem problem = problem(ex);
		return (problem != null) ? toAnswer(inWordsOfTheApplication(problem, ex, locale), accept) : null;
	}

	private Problem inWordsOfTheApplication(Problem problem, IdempotencyException ex, Locale locale) {
		ProblemDetail words = ErrorResponse
			.builder(ex, HttpStatusCode.valueOf(problem.type().status()), problem.detail())
			.title(problem.title())
			.build(this.messages, locale)
			.getBody();
		return problem.inWords(words.getTitle(), words.getDetail());
	}

	private HttpAnswer toAnswer(Problem problem, @Nullable String accept) {
		ProblemFormat format = this.formats.accepted(accept);
		Map<String, List<String>> headers = new LinkedHashMap<>();
		headers.put(HttpHeaders.CONTENT_TYPE, List.of(format.mediaType().toString()));
		if (problem.retryAfter() != null) {
			headers.put(HttpHeaders.RETRY_AFTER, List.of(String.valueOf(problem.retryAfterSeconds())));
		}
		if (problem.documentation() != null) {
			headers.put(HttpHeaders.LINK, List.of("<%s>; rel=\"describedby\"".formatted(problem.documentation())));
		}
		return new HttpAnswer(problem.type().status(), Delivery.WHOLE, headers, ByteBuffer.wrap(format.write(problem)));
	}

	private @Nullable Problem problem(IdempotencyException ex) {
		return switch (ex.reason()) {
			case KEY_MISSING -> problem(ProblemType.KEY_MISSING, ex.getMessage(), null);
			case KEY_INVALID -> problem(ProblemType.KEY_INVALID, ex.getMessage(), null);
			case KEY_REUSED -> problem(ProblemType.KEY_REUSED,
					"A key belongs to one request and its retries. Send this one with a new key, or repeat the first "
							+ "one exactly: method, path, query, content type and body.",
					null);
			case IN_PROGRESS -> problem(ProblemType.IN_PROGRESS, "Repeat it later with the same key to get its answer.",
					ex.retryAfter());
			case OUTCOME_UNKNOWN -> problem(ProblemType.OUTCOME_UNKNOWN,
					"An earlier attempt was interrupted, and repeating it could do the work twice. Find out what "
							+ "became of it, or ask the operator of this service to decide.",
					null);
			case NOT_REPLAYABLE, RESULT_UNREADABLE -> problem(ProblemType.NOT_REPLAYABLE,
					"Its answer was not kept, or cannot be read any more. It will not be processed again under this "
							+ "key: read the outcome from the resource itself.",
					null);
			case REPLAY_LIMIT -> problem(ProblemType.REPLAY_LIMIT,
					"This request was processed, and its answer repeated as often as is allowed. Stop repeating it.",
					ex.retryAfter());
			case BODY_TOO_LARGE -> problem(ProblemType.BODY_TOO_LARGE,
					"A request that is safe to repeat may have a body of at most %d bytes. Nothing was processed."
						.formatted(((RequestBodyTooLargeException) ex).limit()),
					null);
			case BODY_UNREADABLE -> problem(ProblemType.BODY_UNREADABLE,
					"The body ended before its time, or is malformed. Nothing was processed: send it again.", null);
			case STORE_UNAVAILABLE -> problem(ProblemType.STORE_UNAVAILABLE,
					"Whether it was processed before cannot be looked up. Nothing was processed: repeat it later with "
							+ "the same key.",
					STORE_RETRY_AFTER);
			case DRY_RUN_INVALID -> problem(ProblemType.DRY_RUN_INVALID,
					"Send %s once, as ?1 or true for a dry run, or as ?0 or false, or leave it out. Nothing was processed."
						.formatted(DryRunHeader.NAME),
					null);
			case DRY_RUN_UNSUPPORTED -> problem(ProblemType.DRY_RUN_UNSUPPORTED,
					"What would become of this request cannot be said without processing it. Nothing was processed.",
					null);
			// The application's own business
			case RESULT_TOO_LARGE, FAILURE_REPLAYED -> null;
		};
	}

	private Problem problem(ProblemType type, @Nullable String detail, @Nullable Duration retryAfter) {
		return new Problem(type, type.uri(this.settings.problemBase()), type.title(),
				(detail != null) ? detail : type.title(), retryAfter, this.settings.documentationUrl());
	}

}
