package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
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
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/**
 * Tells clients why a request did not run and what to do next, as problem documents (RFC
 * 9457). They say nothing of what the client sent.
 */
final class Problems {

	private static final Duration STORE_RETRY_AFTER = Duration.ofSeconds(5);

	private static final JsonFactory JSON = new JsonFactory();

	private final HttpSettings settings;

	Problems(HttpSettings settings) {
		this.settings = settings;
	}

	/**
	 * Answers with a problem.
	 * @return whether there is one for such an exception
	 */
	boolean write(IdempotencyException ex, HttpServletResponse response) throws IOException {
		Problem problem = problem(ex);
		if (problem == null) {
			return false;
		}
		byte[] json = json(problem);
		response.setStatus(problem.type().status());
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.setContentLength(json.length);
		if (problem.retryAfter() != null) {
			response.setHeader(HttpHeaders.RETRY_AFTER, String.valueOf(atLeastOneSecond(problem.retryAfter())));
		}
		if (this.settings.documentationUrl() != null) {
			response.addHeader(HttpHeaders.LINK,
					"<%s>; rel=\"describedby\"".formatted(this.settings.documentationUrl()));
		}
		response.getOutputStream().write(json);
		return true;
	}

	private static long atLeastOneSecond(Duration duration) {
		long seconds = duration.toSeconds() + ((duration.toNanosPart() > 0) ? 1 : 0);
		return Math.max(1, seconds);
	}

	private static @Nullable Problem problem(IdempotencyException ex) {
		if (ex instanceof IdempotencyKeyMissingException) {
			return new Problem(ProblemType.KEY_MISSING, ex.getMessage(), null);
		}
		if (ex instanceof IdempotencyKeyInvalidException) {
			return new Problem(ProblemType.KEY_INVALID, ex.getMessage(), null);
		}
		if (ex instanceof IdempotencyKeyReusedException) {
			return new Problem(ProblemType.KEY_REUSED,
					"A key belongs to one request and its retries. Send this one with a new key, or repeat the first "
							+ "one exactly: method, path, query, content type and body.",
					null);
		}
		if (ex instanceof OperationInProgressException running) {
			return new Problem(ProblemType.IN_PROGRESS, "Repeat it later with the same key to get its answer.",
					running.retryAfter());
		}
		if (ex instanceof OutcomeUnknownException) {
			return new Problem(ProblemType.OUTCOME_UNKNOWN,
					"An earlier attempt was interrupted, and repeating it could do the work twice. Find out what "
							+ "became of it, or ask the operator of this service to decide.",
					null);
		}
		if (ex instanceof ResultNotReplayableException || ex instanceof UnsupportedFormatException
				|| ex instanceof UnreadableResultException) {
			return new Problem(ProblemType.NOT_REPLAYABLE,
					"Its answer was not kept, or cannot be read any more. It will not be processed again under this "
							+ "key: read the outcome from the resource itself.",
					null);
		}
		if (ex instanceof ReplayLimitException limit) {
			return new Problem(ProblemType.REPLAY_LIMIT,
					"This request was processed, and its answer repeated as often as is allowed. Stop repeating it.",
					limit.retryAfter());
		}
		if (ex instanceof RequestBodyTooLargeException large) {
			return new Problem(ProblemType.BODY_TOO_LARGE,
					"A request that is safe to repeat may have a body of at most %d bytes. Nothing was processed."
						.formatted(large.limit()),
					null);
		}
		if (ex instanceof RequestBodyUnreadableException) {
			return new Problem(ProblemType.BODY_UNREADABLE,
					"The body ended before its time, or is malformed. Nothing was processed: send it again.", null);
		}
		if (ex instanceof IdempotencyStoreException) {
			return new Problem(ProblemType.STORE_UNAVAILABLE,
					"Whether it was processed before cannot be looked up. Nothing was processed: repeat it later with "
							+ "the same key.",
					STORE_RETRY_AFTER);
		}
		if (ex instanceof DryRunUnsupportedException) {
			return new Problem(ProblemType.DRY_RUN_UNSUPPORTED,
					"What is remembered of this request cannot be looked up without processing it.", null);
		}
		return null;
	}

	private byte[] json(Problem problem) {
		ByteArrayOutputStream target = new ByteArrayOutputStream();
		try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), target)) {
			json.writeStartObject();
			json.writeStringProperty("type", problem.type().uri(this.settings.problemBase()));
			json.writeStringProperty("title", problem.type().title());
			json.writeNumberProperty("status", problem.type().status());
			json.writeStringProperty("detail", problem.detail());
			json.writeEndObject();
		}
		return target.toByteArray();
	}

	private record Problem(ProblemType type, @Nullable String detail, @Nullable Duration retryAfter) {
	}

}
