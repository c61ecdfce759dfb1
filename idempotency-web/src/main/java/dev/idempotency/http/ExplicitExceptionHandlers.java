package dev.idempotency.http;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;

/**
 * Knows which of our exceptions the application handles by name, in an advice or in the
 * controller itself. A handler for exceptions in general, which nearly every application
 * has, does not count: it would turn a conflict into a server error.
 */
public final class ExplicitExceptionHandlers {

	private final Supplier<List<ControllerAdviceBean>> advices;

	private final Map<Class<?>, List<Class<?>>> handled = new ConcurrentHashMap<>();

	/**
	 * Create the lookup.
	 * @param advices finds the advices of the application, when they are first needed
	 */
	public ExplicitExceptionHandlers(Supplier<List<ControllerAdviceBean>> advices) {
		this.advices = SingletonSupplier.of(advices);
	}

	/**
	 * Finds the advices now, for callers that must not block later.
	 */
	public void prepare() {
		Objects.requireNonNull(this.advices.get());
	}

	/**
	 * Whether the application handles an exception by name.
	 * @param handler the handler of the request
	 */
	public boolean handle(IdempotencyException ex, @Nullable Object handler) {
		if (!(handler instanceof HandlerMethod method)) {
			return false;
		}
		Class<?> controller = method.getBeanType();
		if (handles(controller, ex)) {
			return true;
		}
		for (ControllerAdviceBean advice : this.advices.get()) {
			Class<?> type = advice.getBeanType();
			if (type != null && advice.isApplicableToBeanType(controller) && handles(type, ex)) {
				return true;
			}
		}
		return false;
	}

	private boolean handles(Class<?> type, IdempotencyException ex) {
		for (Class<?> exception : this.handled.computeIfAbsent(type, ExplicitExceptionHandlers::exceptionsOf)) {
			if (exception.isInstance(ex)) {
				return true;
			}
		}
		return false;
	}

	private static List<Class<?>> exceptionsOf(Class<?> type) {
		List<Class<?>> exceptions = new ArrayList<>();
		Map<Method, ExceptionHandler> handlers = MethodIntrospector.selectMethods(type,
				(Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class));
		handlers.forEach((method, annotation) -> {
			Class<?>[] declared = (annotation.value().length > 0) ? annotation.value() : method.getParameterTypes();
			for (Class<?> exception : declared) {
				if (IdempotencyException.class.isAssignableFrom(exception)) {
					exceptions.add(exception);
				}
			}
		});
		return List.copyOf(exceptions);
	}

}
