package dev.idempotency.web;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import jakarta.servlet.http.Part;

/**
 * What a request brings along beside its head.
 */
public sealed interface RequestContent {

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
	 *
	 * @param parts its parts
	 */
	record Multipart(Collection<Part> parts) implements RequestContent {

		public Multipart {
			parts = List.copyOf(parts);
		}

	}

}
