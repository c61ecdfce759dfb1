package dev.idempotency.web;

import java.io.ByteArrayOutputStream;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import org.springframework.http.MediaType;

/**
 * Problem documents (RFC 9457).
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
			json.writeStringProperty("title", problem.type().title());
			json.writeNumberProperty("status", problem.type().status());
			json.writeStringProperty("detail", problem.detail());
			json.writeEndObject();
		}
		return target.toByteArray();
	}

}
