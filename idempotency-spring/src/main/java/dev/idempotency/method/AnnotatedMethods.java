package dev.idempotency.method;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyKeys;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the methods that this edge protects, and the names of their operations.
 */
final class AnnotatedMethods {

	/**
	 * By name, since Spring Web is optional.
	 */
	private static final String[] WEB_MAPPINGS = { "org.springframework.web.bind.annotation.RequestMapping",
			"org.springframework.web.service.annotation.HttpExchange" };

	/**
	 * By name, since Spring AI is optional.
	 */
	private static final String TOOL = "org.springframework.ai.tool.annotation.Tool";

	private AnnotatedMethods() {
	}

	/**
	 * The annotation of a protected method of a bean.
	 * @return {@code null} if this edge has nothing to do with it
	 */
	static @Nullable Idempotent find(Method method, Class<?> type) {
		Idempotent annotation = findAny(method, type);
		return (annotation != null && annotation.enabled() && !isToolWithoutKey(annotation, method, type)) ? annotation
				: null;
	}

	/**
	 * Whether a method is a tool of an agent whose key its callback derives from the
	 * call.
	 */
	static boolean isProtectedByItsCallback(Method method, Class<?> type) {
		Idempotent annotation = findAny(method, type);
		return annotation != null && annotation.enabled() && isToolWithoutKey(annotation, method, type);
	}

	private static boolean isToolWithoutKey(Idempotent annotation, Method method, Class<?> type) {
		return annotation.key().isEmpty()
				&& MergedAnnotations.from(specific(method, type), SearchStrategy.TYPE_HIERARCHY).isPresent(TOOL);
	}

	/**
	 * The annotation of a method of a bean, also if it disables protection.
	 * @return {@code null} if this edge has nothing to do with it
	 */
	static @Nullable Idempotent findAny(Method method, Class<?> type) {
		Method specific = specific(method, type);
		Idempotent annotation = findDeclared(specific);
		if (annotation == null && !specific.equals(method)) {
			annotation = findDeclared(method);
		}
		if (annotation == null) {
			Idempotent onType = AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class);
			annotation = (onType != null && isCoveredByType(specific, type)) ? onType : null;
		}
		return (annotation != null && !isWebHandler(specific, type)) ? annotation : null;
	}

	/**
	 * The method as declared by its author: that of the bean's class, or that of the
	 * interface if the class is generated.
	 */
	static Method specific(Method method, Class<?> type) {
		return isGenerated(type) ? method : AopUtils.getMostSpecificMethod(method, type);
	}

	/**
	 * Whether a class is generated at each start, such as that of an HTTP client.
	 */
	static boolean isGenerated(Class<?> type) {
		return Proxy.isProxyClass(type) || type.isHidden();
	}

	private static @Nullable Idempotent findDeclared(Method method) {
		return AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
	}

	/**
	 * Handlers belong to the HTTP edge.
	 */
	static boolean isWebHandler(Method method, Class<?> type) {
		if (!isController(type)) {
			return false;
		}
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return Arrays.stream(WEB_MAPPINGS).anyMatch(annotations::isPresent);
	}

	private static boolean isController(Class<?> type) {
		return AnnotatedElementUtils.hasAnnotation(type, Controller.class);
	}

	/**
	 * An annotation on a controller applies to its handlers. On another type, it applies
	 * to the public methods of its author, and not to those that a framework calls.
	 */
	private static boolean isCoveredByType(Method method, Class<?> type) {
		return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !method.isSynthetic() && !isController(type) && !isInfrastructure(method.getDeclaringClass())
				&& !ReflectionUtils.isObjectMethod(method)
				&& Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
					.noneMatch((implemented) -> isInfrastructure(implemented)
							&& ClassUtils.hasMethod(implemented, method.getName(), method.getParameterTypes()));
	}

	private static boolean isInfrastructure(Class<?> type) {
		String name = type.getName();
		return name.startsWith("java.") || name.startsWith("jakarta.") || name.startsWith("org.springframework.");
	}

	/**
	 * The operation of a method. It contains the bean's class, so that beans that inherit
	 * a method do not share its results, and all parameters, so that overloads do not.
	 */
	static String operationOf(Method method, Class<?> type) {
		Class<?> user = ClassUtils.getUserClass(type);
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getTypeName)
			.collect(Collectors.joining(","));
		String name = "%s.%s(%s)".formatted((isGenerated(user) ? method.getDeclaringClass() : user).getName(),
				method.getName(), parameters);
		return (name.length() <= IdempotencyScope.MAX_PART_LENGTH) ? name
				: "%s.%s #%s".formatted(user.getSimpleName(), method.getName(), IdempotencyKeys.sha256(name));
	}

}
