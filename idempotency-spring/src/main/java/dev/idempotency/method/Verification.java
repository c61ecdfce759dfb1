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
 * A method that tells whether a crashed attempt has done the work.
 */
final class Verification {

	private static final String MONO = "reactor.core.publisher.Mono";

	private final Method method;

	/**
	 * Whether the work has no result, so that the method tells only whether it is done.
	 */
	private final boolean nothing;

	private Verification(Method method, boolean nothing) {
		this.method = method;
		this.nothing = nothing;
	}

	/**
	 * Looks the method up.
	 * @param verified the method that it verifies
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
		Class<?> value = nothing ? Boolean.class : ClassUtils.resolvePrimitiveIfNecessary(wanted.toClass());
		boolean later = isMono(verified) && isMono(method);
		boolean fits = (nothing && !later) ? answer.toClass() == boolean.class
				: (later || answer.toClass() == Optional.class)
						&& ResolvableType.forClass(value).isAssignableFrom(answer.getGeneric());
		if (!fits) {
			throw new IllegalArgumentException(
					"%s must return %s%s".formatted(name, nothing ? "boolean" : "Optional<%s>".formatted(wanted),
							isMono(verified) ? nothing ? " or Mono<Boolean>" : " or Mono<%s>".formatted(wanted) : ""));
		}
		ReflectionUtils.makeAccessible(method);
		return new Verification(method, nothing);
	}

	/**
	 * Calls the method.
	 * @return the result of the work, or {@code null} if it is not known to be done
	 */
	@Nullable Answer ask(Object bean, @Nullable Object[] arguments) throws Throwable {
		Object answer = invoke(bean, arguments);
		return (answer instanceof Optional<?> value) ? value.map(Answer::new).orElse(null) : answerOf(answer);
	}

	/**
	 * Interprets a return value of the method.
	 * @return the result of the work, or {@code null} if it is not known to be done
	 */
	@Nullable Answer answerOf(@Nullable Object answer) {
		if (answer == null) {
			return null;
		}
		if (this.nothing) {
			return Boolean.TRUE.equals(answer) ? new Answer(null) : null;
		}
		return new Answer(answer);
	}

	/**
	 * Whether the method returns a Mono.
	 */
	boolean answersLater() {
		return isMono(this.method);
	}

	private static boolean isMono(Method method) {
		return method.getReturnType().getName().equals(MONO);
	}

	@Nullable Object invoke(Object bean, @Nullable Object[] arguments) throws Throwable {
		try {
			return this.method.invoke(bean, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	/**
	 * The work has been done.
	 */
	record Answer(@Nullable Object result) {
	}

}
