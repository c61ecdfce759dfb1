package dev.idempotency.method;

import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import dev.idempotency.ReplayedFailureException;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds stored failures. Only a type that the annotation lists is rebuilt, and only if
 * no data is lost. The stored name is compared with the names of these types, and no
 * class is looked up by it.
 */
final class ReplayedFailures {

	private ReplayedFailures() {
	}

	static Throwable rebuild(ReplayedFailureException replayed, List<Class<? extends Throwable>> listed) {
		for (Class<? extends Throwable> type : listed) {
			if (type.getName().equals(replayed.failureType()) && isToldByItsMessage(type)) {
				Throwable failure = create(type, replayed.failureMessage());
				if (failure != null) {
					failure.addSuppressed(replayed);
					return failure;
				}
			}
		}
		return replayed;
	}

	private static boolean isToldByItsMessage(Class<?> type) {
		for (Class<?> current = type; current != null
				&& !current.getName().startsWith("java.lang."); current = current.getSuperclass()) {
			if (Arrays.stream(current.getDeclaredFields())
				.anyMatch((field) -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())) {
				return false;
			}
		}
		return true;
	}

	private static @Nullable Throwable create(Class<? extends Throwable> type, @Nullable String message) {
		try {
			Constructor<? extends Throwable> constructor = type.getDeclaredConstructor(String.class);
			constructor.setAccessible(true);
			Throwable failure = constructor.newInstance(message);
			return Objects.equals(failure.getMessage(), message) ? failure : null;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return null;
		}
	}

}
