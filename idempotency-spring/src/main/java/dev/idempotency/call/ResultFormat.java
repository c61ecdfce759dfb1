package dev.idempotency.call;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import dev.idempotency.ReplayedFailureException;
import dev.idempotency.UnreadableResultException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;

/**
 * The format of results of one type. The first byte says what follows: the value as JSON,
 * nothing, or the failure of the operation.
 * <p>
 * A value is read back before it is stored, so that one that cannot be read fails at
 * once. If all of its properties could be read then, all must be readable later. A result
 * that loses a property, because its type has changed in the meantime, is not the one
 * that was stored.
 */
public final class ResultFormat {

	private static final byte VALUE = 'v';

	/**
	 * A value with properties that are written but not read, such as computed ones.
	 */
	private static final byte VALUE_AND_MORE = 'm';

	private static final byte NOTHING = 'n';

	private static final byte FAILURE = 'f';

	private final JavaType type;

	private final ObjectWriter writer;

	private final ObjectReader strict;

	private final ObjectReader lenient;

	ResultFormat(JavaType type, ObjectWriter writer, ObjectReader strict, ObjectReader lenient) {
		this.type = type;
		this.writer = writer;
		this.strict = strict;
		this.lenient = lenient;
	}

	static boolean isNothing(JavaType type) {
		return type.hasRawClass(void.class) || type.hasRawClass(Void.class);
	}

	/**
	 * Writes a result.
	 * @throws RuntimeException if it cannot be written and read back
	 */
	byte[] write(@Nullable Object value) {
		if (value instanceof StoredFailure failure) {
			return framed(FAILURE, failure.toBytes());
		}
		if (value == null || isNothing(this.type)) {
			return new byte[] { NOTHING };
		}
		byte[] json = this.writer.writeValueAsBytes(value);
		try {
			readValue(json, this.strict);
			return framed(VALUE, json);
		}
		catch (UnreadableResultException ex) {
			readValue(json, this.lenient);
			return framed(VALUE_AND_MORE, json);
		}
	}

	/**
	 * Writes a result that is JSON already.
	 * @param json the result
	 * @throws UnreadableResultException if it does not fit the type
	 */
	public byte[] writeJson(String json) {
		if (json.strip().equals("null") || isNothing(this.type)) {
			nothing();
			return new byte[] { NOTHING };
		}
		byte[] content = json.getBytes(StandardCharsets.UTF_8);
		readValue(content, this.strict);
		return framed(VALUE, content);
	}

	private static byte[] framed(byte kind, byte[] content) {
		byte[] payload = new byte[content.length + 1];
		payload[0] = kind;
		System.arraycopy(content, 0, payload, 1, content.length);
		return payload;
	}

	/**
	 * Reads a result.
	 * @throws UnreadableResultException if it does not fit the type
	 * @throws ReplayedFailureException if the operation failed
	 */
	@Nullable Object read(ByteBuffer payload) {
		if (!payload.hasRemaining()) {
			throw unreadable("it is empty");
		}
		byte kind = payload.get();
		byte[] content = new byte[payload.remaining()];
		payload.get(content);
		return switch (kind) {
			case VALUE -> readValue(content, this.strict);
			case VALUE_AND_MORE -> readValue(content, this.lenient);
			case NOTHING -> nothing();
			case FAILURE -> throw StoredFailure.fromBytes(content).toException();
			default -> throw unreadable("it was not written by a call");
		};
	}

	private @Nullable Object readValue(byte[] content, ObjectReader reader) {
		if (isNothing(this.type)) {
			return null;
		}
		try {
			return Objects.requireNonNull(reader.readValue(content));
		}
		catch (JacksonException ex) {
			// The message may contain stored data
			throw unreadable(ex.getClass().getSimpleName());
		}
		catch (NullPointerException ex) {
			throw unreadable("it is null");
		}
	}

	private @Nullable Object nothing() {
		if (this.type.isPrimitive() && !isNothing(this.type)) {
			throw unreadable("it is empty");
		}
		return null;
	}

	private UnreadableResultException unreadable(String reason) {
		return new UnreadableResultException(
				"the stored result does not fit %s (%s). Restore the type that it was stored with, or forget the key"
					.formatted(this.type.toCanonical(), reason));
	}

}
