package dev.idempotency.method;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method that knows whether an attempt which vanished has done the work.
 */
final class Verification {

	private final Method method;

	private Verification(Method method) {
		this.method = method;
	}

	/**
	 * Looks the method up.
	 * @param verified the method it is asked about
	 * @param result the result of that one, or {@code void}
	 * @param type the type of the bean
	 * @throws IllegalArgumentException if there is no such method, with the reason
	 */
	static Verification of(String name, Method verified, Type result, Class<?> type) {
		Method method = ReflectionUtils.findMethod(ClassUtils.getUserClass(type), name, verified.getParameterTypes());
		if (method == null) {
			throw new IllegalArgumentException("there is no method %s with the same parameters".formatted(name));
		}
		ResolvableType answer = ResolvableType.forMethodReturnType(method, type);
		boolean nothing = result == void.class || result == Void.class;
		ResolvableType wanted = ResolvableType.forType(result);
		boolean fits = nothing ? answer.toClass() == boolean.class
				: answer.toClass() == Optional.class
						&& ResolvableType.forClass(ClassUtils.resolvePrimitiveIfNecessary(wanted.toClass()))
							.isAssignableFrom(answer.getGeneric());
		if (!fits) {
			throw new IllegalArgumentException(
					"%s must return %s".formatted(name, nothing ? "boolean" : "Optional<%s>".formatted(wanted)));
		}
		ReflectionUtils.makeAccessible(method);
		return new Verification(method);
	}

	/**
	 * Asks whether the work has been done.
	 * @return the result of the work, or {@code null} if it is not known to be done
	 */
	@Nullable Answer ask(Object bean, @Nullable Object[] arguments) throws Throwable {
		try {
			Object answer = this.method.invoke(bean, arguments);
			if (answer instanceof Boolean done) {
				return done ? new Answer(null) : null;
			}
			return (answer instanceof Optional<?> value && value.isPresent()) ? new Answer(value.get()) : null;
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	/**
	 * The work has been done.
	 *
	 * @param result what came of it
	 */
	record Answer(@Nullable Object result) {
	}

}
