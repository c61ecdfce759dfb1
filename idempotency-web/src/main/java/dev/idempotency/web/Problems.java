package dev.idempotency.web;

import java.io.IOException;
import java.time.Duration;

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
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Tells clients why a request did not run and what to do next.
 */
final class Problems {

	private static final Duration STORE_RETRY_AFTER = Duration.ofSeconds(5);

	private final HttpSettings settings;

	private final ProblemFormats formats;

	Problems(HttpSettings settings, ProblemFormats formats) {
		this.settings = settings;
		this.formats = formats;
	}

	/**
	 * Answers with a problem.
	 * @return whether there is one for such an exception
	 */
	boolean write(IdempotencyException ex, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		Problem problem = problem(ex);
		if (problem == null) {
			return false;
		}
		ProblemFormat format = this.formats.accepted(request);
		byte[] body = format.write(problem);
		response.setStatus(problem.type().status());
		response.setContentType(format.mediaType().toString());
		response.setContentLength(body.length);
		if (problem.retryAfter() != null) {
			response.setHeader(HttpHeaders.RETRY_AFTER, String.valueOf(problem.retryAfterSeconds()));
		}
		if (problem.documentation() != null) {
			response.addHeader(HttpHeaders.LINK, "<%s>; rel=\"describedby\"".formatted(problem.documentation()));
		}
		response.getOutputStream().write(body);
		return true;
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
		return new Problem(type, type.uri(this.settings.problemBase()), (detail != null) ? detail : type.title(),
				retryAfter, this.settings.documentationUrl());
	}

}
