package dev.idempotency.method;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.call.UnprotectedContext;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * Runs methods each time, because protection is switched off, but provides a context.
 */
final class UnprotectedMethods implements MethodInterceptor {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			UnprotectedMethods.class.getClassLoader());

	private final Map<MethodClassKey, Target> known = new ConcurrentHashMap<>();

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Class<?> type = Objects.requireNonNull(invocation.getThis(), "an annotated method belongs to a bean")
			.getClass();
		Target target = this.known.computeIfAbsent(new MethodClassKey(invocation.getMethod(), type),
				(missing) -> Target.of(invocation.getMethod(), type));
		if (target.protectedByItsCallback() && IdempotencyContext.find().isPresent()) {
			return invocation.proceed();
		}
		IdempotencyKey key = target.keyOf(invocation.getArguments());
		IdempotencyContext context = new UnprotectedContext(key);
		Object result;
		try (Binding binding = context.makeCurrent()) {
			Objects.requireNonNull(binding);
			result = invocation.proceed();
		}
		return (REACTOR && result != null) ? MonoEdge.inContext(result, context) : result;
	}

	/**
	 * A method without protection.
	 *
	 * @param operation its name
	 * @param key the expression of its key, or {@code null} if it has none
	 * @param protectedByItsCallback whether it is a tool of an agent, whose callback has
	 * created a context
	 */
	private record Target(String operation, @Nullable MethodKey key, boolean protectedByItsCallback) {

		private static Target of(Method method, Class<?> type) {
			Method specific = AnnotatedMethods.specific(method, type);
			String operation = AnnotatedMethods.operationOf(specific, type);
			Idempotent annotation = AnnotatedMethods.find(method, type);
			MethodKey key = null;
			try {
				key = (annotation != null) ? MethodKey.parse(annotation.key(), operation, specific) : null;
			}
			catch (IllegalArgumentException ex) {
				// Reported at startup if protection is on
			}
			return new Target(operation, key, annotation == null);
		}

		private IdempotencyKey keyOf(@Nullable Object[] arguments) {
			try {
				return (this.key != null) ? this.key.resolve(arguments) : UnprotectedContext.randomKey(this.operation);
			}
			catch (RuntimeException ex) {
				// Nothing is stored under this key, and protection may be switched off
				// because of it
				return UnprotectedContext.randomKey(this.operation);
			}
		}

	}

}
