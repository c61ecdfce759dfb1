package dev.idempotency.http;

import java.nio.charset.StandardCharsets;

import org.springframework.http.MediaType;

/**
 * Short prose with the next step, for clients that read rather than parse.
 */
final class MarkdownProblemFormat implements ProblemFormat {

	private static final MediaType MARKDOWN = new MediaType("text", "markdown", StandardCharsets.UTF_8);

	@Override
	public MediaType mediaType() {
		return MARKDOWN;
	}

	@Override
	public byte[] write(Problem problem) {
		StringBuilder text = new StringBuilder();
		text.append("# ").append(problem.title()).append("\n\n");
		text.append("Next step: ").append(problem.detail());
		Long seconds = problem.retryAfterSeconds();
		if (seconds != null) {
			text.append(" Wait ").append(seconds).append((seconds == 1) ? " second first." : " seconds first.");
		}
		text.append("\n\nStatus ").append(problem.status()).append(", `").append(problem.uri()).append("`.\n");
		if (problem.documentation() != null) {
			text.append("\nMore: <").append(problem.documentation()).append(">\n");
		}
		return text.toString().getBytes(StandardCharsets.UTF_8);
	}

}
