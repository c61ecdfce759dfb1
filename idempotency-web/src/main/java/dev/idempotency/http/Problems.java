package dev.idempotency.http;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyKeyReusedException;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.ReplayLimitException;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
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
		if (ex instanceof IdempotencyKeyMissingException) {
			return problem(ProblemType.KEY_MISSING, ex.getMessage(), null);
		}
		if (ex instanceof IdempotencyKeyInvalidException) {
			return problem(ProblemType.KEY_INVALID, ex.getMessage(), null);
		}
		if (ex instanceof IdempotencyKeyReusedException) {
			return problem(ProblemType.KEY_REUSED,
					"A key belongs to one request and its retries. Send this one with a new key, or repeat the first "
							+ "one exactly: method, path, query, content type and body.",
					null);
		}
		if (ex instanceof OperationInProgressException running) {
			return problem(ProblemType.IN_PROGRESS, "Repeat it later with the same key to get its answer.",
					running.retryAfter());
		}
		if (ex instanceof OutcomeUnknownException) {
			return problem(ProblemType.OUTCOME_UNKNOWN,
					"An earlier attempt was interrupted, and repeating it could do the work twice. Find out what "
							+ "became of it, or ask the operator of this service to decide.",
					null);
		}
		if (ex instanceof ResultNotReplayableException || ex instanceof UnsupportedFormatException
				|| ex instanceof UnreadableResultException) {
			return problem(ProblemType.NOT_REPLAYABLE,
					"Its answer was not kept, or cannot be read any more. It will not be processed again under this "
							+ "key: read the outcome from the resource itself.",
					null);
		}
		if (ex instanceof ReplayLimitException limit) {
			return problem(ProblemType.REPLAY_LIMIT,
					"This request was processed, and its answer repeated as often as is allowed. Stop repeating it.",
					limit.retryAfter());
		}
		if (ex instanceof RequestBodyTooLargeException large) {
			return problem(ProblemType.BODY_TOO_LARGE,
					"A request that is safe to repeat may have a body of at most %d bytes. Nothing was processed."
						.formatted(large.limit()),
					null);
		}
		if (ex instanceof RequestBodyUnreadableException) {
			return problem(ProblemType.BODY_UNREADABLE,
					"The body ended before its time, or is malformed. Nothing was processed: send it again.", null);
		}
		if (ex instanceof IdempotencyStoreException) {
			return problem(ProblemType.STORE_UNAVAILABLE,
					"Whether it was processed before cannot be looked up. Nothing was processed: repeat it later with "
							+ "the same key.",
					STORE_RETRY_AFTER);
		}
		if (ex instanceof DryRunInvalidException) {
			return problem(ProblemType.DRY_RUN_INVALID,
					"Send %s once, as ?1 or true for a dry run, or as ?0 or false, or leave it out. Nothing was processed."
						.formatted(DryRunHeader.NAME),
					null);
		}
		if (ex instanceof DryRunUnsupportedException) {
			return problem(ProblemType.DRY_RUN_UNSUPPORTED,
					"What would become of this request cannot be said without processing it. Nothing was processed.",
					null);
		}
		return null;
	}

	private Problem problem(ProblemType type, @Nullable String detail, @Nullable Duration retryAfter) {
		return new Problem(type, type.uri(this.settings.problemBase()), type.title(),
				(detail != null) ? detail : type.title(), retryAfter, this.settings.documentationUrl());
	}

}
