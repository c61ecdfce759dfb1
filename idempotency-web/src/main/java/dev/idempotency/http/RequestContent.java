package dev.idempotency.http;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.InputStreamSource;

/**
 * The content of a request, beside its head.
 */
public sealed interface RequestContent {

	/**
	 * How many bytes are read of a body that no handler reads, so that its connection can
	 * be used again. Tomcat reads as many by default.
	 */
	int MOST_DISCARDED = 2 * 1024 * 1024;

	/**
	 * A body of any kind.
	 *
	 * @param bytes holds the body; it must not be changed
	 * @param length how many of the bytes are the body
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Body(byte[] bytes, int length) implements RequestContent {
	}

	/**
	 * A form.
	 *
	 * @param parameters the parameters of its body and of the query
	 */
	record Form(Map<String, String[]> parameters) implements RequestContent {
	}

	/**
	 * A form with files.
	 */
	record Multipart(List<Part> parts) implements RequestContent {

		public Multipart {
			parts = List.copyOf(parts);
		}

	}

	/**
	 * A part of a form with files.
	 *
	 * @param name the name of its field
	 * @param fileName the name of the file, or {@code null} if it is none
	 * @param contentType its type, or {@code null} if it does not say
	 */
	record Part(String name, @Nullable String fileName, @Nullable String contentType, InputStreamSource content) {
	}

}
