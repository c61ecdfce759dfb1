package dev.idempotency.call;

import java.util.Optional;
import java.util.function.Function;

import dev.idempotency.UnreadableResultException;
import dev.idempotency.core.GivenResult;
import dev.idempotency.core.ResultWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes results that operators provide for calls.
 */
public final class GivenValues implements ResultWriter {

	private final Function<String, @Nullable ResultFormat> formats;

	/**
	 * Create a writer.
	 * @param formats returns the format of the results of an operation, or {@code null}
	 * if it does not know the operation
	 */
	public GivenValues(Function<String, @Nullable ResultFormat> formats) {
		this.formats = formats;
	}

	/**
	 * Writes results of any type, for operations that run with {@code Idempotency}. A
	 * value that does not fit the type fails when it is replayed.
	 * @param codec writes results
	 */
	public static GivenValues ofAnyType(ResultCodec codec) {
		ResultFormat format = codec.forType(Object.class);
		return new GivenValues((operation) -> format);
	}

	@Override
	public Optional<byte[]> write(String operation, GivenResult given) {
		ResultFormat format = this.formats.apply(operation);
		if (format == null) {
			return Optional.empty();
		}
		if (!(given instanceof GivenResult.Value value)) {
			throw new IllegalArgumentException(
					"%s is not a web handler: give its result as value, in JSON, without status, contentType, headers and body"
						.formatted(operation));
		}
		try {
			return Optional.of(format.writeJson(value.json()));
		}
		catch (UnreadableResultException ex) {
			throw new IllegalArgumentException("value is not JSON, or is not what %s returns".formatted(operation), ex);
		}
	}

}
