package dev.idempotency.http;

import org.springframework.http.MediaType;

/**
 * How problems are written for clients that accept a media type. Beans of this type take
 * precedence over the built-in formats: {@link #json()}, which is also for clients that
 * accept none of them, and {@link #markdown()}.
 */
public interface ProblemFormat {

	/**
	 * The media type that clients accept to get this format.
	 * @return the type, without parameters except for its charset
	 */
	MediaType mediaType();

	/**
	 * Writes a problem.
	 * @return the body of the response
	 */
	byte[] write(Problem problem);

	/**
	 * Problem documents (RFC 9457), for programs.
	 */
	static ProblemFormat json() {
		return new JsonProblemFormat();
	}

	/**
	 * The same facts as short prose with the next step, for language models: they request
	 * it with {@code Accept: text/markdown}.
	 */
	static ProblemFormat markdown() {
		return new MarkdownProblemFormat();
	}

}
