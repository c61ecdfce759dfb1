package dev.idempotency.call;

import java.util.Optional;
import java.util.function.Function;

import dev.idempotency.UnreadableResultException;
import dev.idempotency.core.GivenResult;
import dev.idempotency.core.ResultWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes the results of calls that operators give.
 */
public final class GivenValues implements ResultWriter {

	private final Function<String, @Nullable ResultFormat> formats;

	/**
	 * Create a writer.
	 * @param formats knows what the results of an operation look like, or answers with
	 * {@code null} if it is none of its own
	 */
	public GivenValues(Function<String, @Nullable ResultFormat> formats) {
		this.formats = formats;
	}

	/**
	 * Writes the results of all operations, whatever their type: for those that are run
	 * by hand. What does not fit the type is found when it is given out.
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
					"%s answers no requests: give its result as value, in JSON".formatted(operation));
		}
		try {
			return Optional.of(format.writeJson(value.json()));
		}
		catch (UnreadableResultException ex) {
			throw new IllegalArgumentException("The value is no JSON, or not what %s returns".formatted(operation), ex);
		}
	}

}
