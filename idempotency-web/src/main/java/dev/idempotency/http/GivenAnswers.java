package dev.idempotency.http;

import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.idempotency.core.GivenResult;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.http.HttpAnswer.Delivery;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * Writes the responses that operators provide for requests.
 */
public final class GivenAnswers implements ResultWriter {

	/**
	 * A method and a pattern. Steps are named after their operation, and have no
	 * response.
	 */
	private static final Pattern OPERATION = Pattern.compile("[A-Z]+ (/(?!.* > ).*)?");

	private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

	private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e\\t]*");

	private final KeptHeaders kept;

	private final long maxBody;

	/**
	 * Create a writer.
	 * @param kept which headers are stored
	 * @param maxBody the largest body, in bytes
	 */
	public GivenAnswers(KeptHeaders kept, long maxBody) {
		this.kept = kept;
		this.maxBody = maxBody;
	}

	@Override
	public Optional<byte[]> write(String operation, GivenResult given) {
		if (!OPERATION.matcher(operation).matches()) {
			return Optional.empty();
		}
		if (!(given instanceof GivenResult.Answer answer)) {
			throw new IllegalArgumentException(
					"value: %s handles requests. Give the status of the response instead, and its body and headers if there are any"
						.formatted(operation));
		}
		Map<String, List<String>> headers = new LinkedHashMap<>();
		answer.headers().forEach((name, values) -> headers.put(usable(name), usable(name, values)));
		byte[] body = encode(answer.body(), headers);
		requireUsable(answer.status(), body);
		ByteBuffer written = new HttpAnswer(answer.status(), Delivery.WHOLE, headers, AnswerBody.of(body)).encode()
			.payload();
		byte[] bytes = new byte[written.remaining()];
		written.get(bytes);
		return Optional.of(bytes);
	}

	/**
	 * Encodes a body as its content type says, in UTF-8 by default.
	 */
	private static byte[] encode(String body, Map<String, List<String>> headers) {
		Charset charset = headers.getOrDefault(HttpHeaders.CONTENT_TYPE, List.of())
			.stream()
			.flatMap((type) -> Stream.ofNullable(MediaType.parseMediaType(type).getCharset()))
			.findFirst()
			.orElse(StandardCharsets.UTF_8);
		if (!charset.canEncode() || !charset.newEncoder().canEncode(body)) {
			throw new IllegalArgumentException("body has characters that %s cannot encode".formatted(charset));
		}
		return body.getBytes(charset);
	}

	private void requireUsable(int status, byte[] body) {
		if (status < 200 || status > 599) {
			throw new IllegalArgumentException("status must be from 200 to 599, but is %d".formatted(status));
		}
		boolean bodiless = status == HttpStatus.NO_CONTENT.value() || status == HttpStatus.RESET_CONTENT.value()
				|| status == HttpStatus.NOT_MODIFIED.value();
		if (bodiless && body.length > 0) {
			throw new IllegalArgumentException("body: a response with status %d has none".formatted(status));
		}
		if (body.length > this.maxBody) {
			throw new IllegalArgumentException(
					"body has %d bytes, more than the %d that are stored".formatted(body.length, this.maxBody));
		}
	}

	/**
	 * The name of a header. That of the content type is always written the same.
	 */
	private String usable(String name) {
		if (!NAME.matcher(name).matches()) {
			throw new IllegalArgumentException("headers: \"%s\" is not the name of a header".formatted(name));
		}
		if (!this.kept.isKept(name)) {
			throw new IllegalArgumentException(
					"headers: %s is not stored with responses, leave it out".formatted(name));
		}
		return name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE) ? HttpHeaders.CONTENT_TYPE : name;
	}

	private static List<String> usable(String name, List<String> values) {
		for (String value : values) {
			if (!VALUE.matcher(value).matches()) {
				throw new IllegalArgumentException(
						"headers: the value of %s has characters other than printable ASCII".formatted(name));
			}
		}
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			requireMediaType(values);
		}
		return List.copyOf(values);
	}

	private static void requireMediaType(List<String> values) {
		try {
			values.forEach(MediaType::parseMediaType);
		}
		catch (InvalidMediaTypeException ex) {
			throw new IllegalArgumentException("contentType must be a media type such as text/plain", ex);
		}
		if (values.size() != 1) {
			throw new IllegalArgumentException("A response has one content type");
		}
	}

}
