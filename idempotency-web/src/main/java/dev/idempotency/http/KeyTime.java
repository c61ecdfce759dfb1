package dev.idempotency.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyKeyInvalidException;
import org.jspecify.annotations.Nullable;

/**
 * How a request tells when its key was first sent.
 *
 * @param header the name of the header that has the time, as an HTTP date; {@code null}
 * if the key itself has it, as a UUID of version 7 or a ULID
 */
public record KeyTime(@Nullable String header) {

	private static final Pattern UUID_7 = Pattern
		.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}");

	/**
	 * Its first digit has three bits.
	 */
	private static final Pattern ULID = Pattern.compile("[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}");

	private static final String ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

	private static final int ULID_TIME = 10;

	/**
	 * When a key was first sent.
	 * @throws IdempotencyKeyInvalidException if the request does not tell
	 */
	Instant of(String key, RequestFacts request) {
		return (this.header != null) ? inHeader(request.headers(this.header), this.header) : inKey(key);
	}

	/**
	 * Tells clients what to send.
	 */
	public String advice() {
		return (this.header != null)
				? "Send the time at which the request was first sent in the %s header, as an HTTP date, and the same one with each retry."
					.formatted(this.header)
				: "Send a UUID of version 7 or a ULID, made when the request is first sent.";
	}

	private Instant inHeader(List<String> fields, String name) {
		if (fields.size() != 1) {
			throw new IdempotencyKeyInvalidException(
					"The %s header is missing, or was sent more than once. %s".formatted(name, advice()));
		}
		try {
			return DateTimeFormatter.RFC_1123_DATE_TIME.parse(fields.get(0).strip(), Instant::from);
		}
		catch (DateTimeException ex) {
			throw new IdempotencyKeyInvalidException("The %s header has no HTTP date. %s".formatted(name, advice()));
		}
	}

	private Instant inKey(String key) {
		if (UUID_7.matcher(key).matches()) {
			return Instant.ofEpochMilli(Long.parseLong(key.substring(0, 8) + key.substring(9, 13), 16));
		}
		if (ULID.matcher(key).matches()) {
			long time = 0;
			for (int i = 0; i < ULID_TIME; i++) {
				time = (time << 5) | ULID_DIGITS.indexOf(Character.toUpperCase(key.charAt(i)));
			}
			return Instant.ofEpochMilli(time);
		}
		throw new IdempotencyKeyInvalidException("The key has no time. " + advice());
	}

}
