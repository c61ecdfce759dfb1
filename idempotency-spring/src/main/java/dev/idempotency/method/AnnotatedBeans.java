package dev.idempotency.method;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the beans whose types may use the annotation, without creating them.
 */
final class AnnotatedBeans {

	private static final Logger logger = LoggerFactory.getLogger(AnnotatedBeans.class);

	private AnnotatedBeans() {
	}

	static void forEach(ConfigurableListableBeanFactory beanFactory, Consumer<AnnotatedBean> consumer) {
		for (String name : beanFactory.getBeanNamesForType(Object.class)) {
			Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : typeOf(beanFactory, name);
			if (type != null && isCandidate(type)) {
				consumer.accept(new AnnotatedBean(name, type, methodsOf(type)));
			}
		}
	}

	/**
	 * A bean of a class, if that class may use the annotation.
	 */
	static Optional<AnnotatedBean> of(String name, Class<?> type) {
		Class<?> user = ClassUtils.getUserClass(type);
		return isCandidate(user) ? Optional.of(new AnnotatedBean(name, user, methodsOf(user))) : Optional.empty();
	}

	private static boolean isCandidate(Class<?> type) {
		return !type.getName().startsWith("org.springframework.")
				&& AnnotationUtils.isCandidateClass(type, Idempotent.class);
	}

	private static @Nullable Class<?> typeOf(ConfigurableListableBeanFactory beanFactory, String name) {
		try {
			Class<?> type = AutoProxyUtils.determineTargetClass(beanFactory, name);
			return (type != null) ? ClassUtils.getUserClass(type) : null;
		}
		catch (RuntimeException ex) {
			// Its type is unknown before it is created
			logger.debug("The type of the bean {} is unknown", name, ex);
			return null;
		}
	}

	private static Set<Method> methodsOf(Class<?> type) {
		Set<Method> methods = new LinkedHashSet<>();
		if (!AnnotatedMethods.isGenerated(type)) {
			methods.addAll(Arrays.asList(ReflectionUtils.getUniqueDeclaredMethods(type)));
		}
		for (Class<?> implemented : ClassUtils.getAllInterfacesForClass(type)) {
			methods.addAll(Arrays.asList(implemented.getMethods()));
		}
		methods.removeIf((method) -> method.isSynthetic() || method.getDeclaringClass() == Object.class);
		return methods;
	}

	/**
	 * A bean that may use the annotation.
	 *
	 * @param methods all of its methods
	 */
	record AnnotatedBean(String name, Class<?> type, Set<Method> methods) {

		/**
		 * The methods that the edge for methods protects.
		 */
		Stream<Method> protectedMethods() {
			return this.methods.stream().filter((method) -> AnnotatedMethods.find(method, this.type) != null);
		}

		/**
		 * The methods that the edge for methods would protect if they were not disabled.
		 */
		Stream<Method> excludedMethods() {
			return this.methods.stream().filter((method) -> {
				Idempotent annotation = AnnotatedMethods.findAny(method, this.type);
				return annotation != null && !annotation.enabled();
			});
		}

	}

}
