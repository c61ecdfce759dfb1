package dev.idempotency;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The type of a result, with its type arguments: {@code new ResultType<List<Receipt>>()
 * {}}. Results are read as this type; stored results never name a type.
 *
 * @param <T> the type
 */
public abstract class ResultType<T extends @Nullable Object> {

	private final Type type;

	/**
	 * Takes the type from the subclass.
	 * @throws IllegalStateException if the subclass has no type argument
	 */
	protected ResultType() {
		if (!(getClass().getGenericSuperclass() instanceof ParameterizedType parameterized)
				|| !isKnown(parameterized)) {
			throw new IllegalStateException("A ResultType needs a type argument: new ResultType<List<Receipt>>() {}");
		}
		this.type = parameterized.getActualTypeArguments()[0];
	}

	/**
	 * A type variable does not tell what to read: the first call would return what the
	 * work returned, and its replay something else.
	 */
	private static boolean isKnown(Type type) {
		if (type instanceof ParameterizedType parameterized) {
			return Arrays.stream(parameterized.getActualTypeArguments()).allMatch(ResultType::isKnown);
		}
		if (type instanceof GenericArrayType array) {
			return isKnown(array.getGenericComponentType());
		}
		return !(type instanceof TypeVariable);
	}

	private ResultType(Type type) {
		this.type = type;
	}

	/**
	 * A type without type arguments.
	 * @param <T> the type
	 */
	public static <T extends @Nullable Object> ResultType<T> of(Class<T> type) {
		return new ResultType<T>(type) {
		};
	}

	/**
	 * The type.
	 */
	public final Type type() {
		return this.type;
	}

	@Override
	public final boolean equals(@Nullable Object other) {
		return other instanceof ResultType<?> that && this.type.equals(that.type);
	}

	@Override
	public final int hashCode() {
		return this.type.hashCode();
	}

	@Override
	public final String toString() {
		return this.type.getTypeName();
	}

}
