package dev.idempotency.http;

import java.io.ByteArrayOutputStream;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import org.springframework.http.MediaType;

/**
 * Problem documents (RFC 9457). Spring's converters would write them too, but an
 * application may have others, and a filter has none.
 */
final class JsonProblemFormat implements ProblemFormat {

	private static final JsonFactory JSON = new JsonFactory();

	@Override
	public MediaType mediaType() {
		return MediaType.APPLICATION_PROBLEM_JSON;
	}

	@Override
	public byte[] write(Problem problem) {
		ByteArrayOutputStream target = new ByteArrayOutputStream();
		try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), target)) {
			json.writeStartObject();
			json.writeStringProperty("type", problem.uri());
			json.writeStringProperty("title", problem.title());
			json.writeNumberProperty("status", problem.status());
			json.writeStringProperty("detail", problem.detail());
			json.writeEndObject();
		}
		return target.toByteArray();
	}

}
