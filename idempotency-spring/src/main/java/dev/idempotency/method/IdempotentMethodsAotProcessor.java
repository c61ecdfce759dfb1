package dev.idempotency.method;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;

import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ReflectionUtils;

/**
 * Registers hints for native images: keys are read from the arguments of protected
 * methods, results are written and read as JSON, and failures are rebuilt.
 */
final class IdempotentMethodsAotProcessor implements BeanRegistrationAotProcessor {

	private static final BindingReflectionHintsRegistrar BINDING = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registered) {
		Class<?> type = registered.getBeanClass();
		List<Method> methods = AnnotatedBeans.of(registered.getBeanName(), type)
			.map((bean) -> bean.protectedMethods().toList())
			.orElseGet(List::of);
		if (methods.isEmpty()) {
			return null;
		}
		return (generation, code) -> {
			ReflectionHints hints = generation.getRuntimeHints().reflection();
			methods.forEach((method) -> register(method, type, hints));
		};
	}

	private static void register(Method method, Class<?> type, ReflectionHints hints) {
		Method specific = AnnotatedMethods.specific(method, type);
		// Annotations are read at startup
		hints.registerMethod(specific, ExecutableMode.INVOKE);
		BINDING.registerReflectionHints(hints, specific.getGenericParameterTypes());
		if (specific.getReturnType() != void.class) {
			BINDING.registerReflectionHints(hints, new Type[] { specific.getGenericReturnType() });
		}
		Idempotent annotation = AnnotatedMethods.find(method, type);
		if (annotation == null) {
			return;
		}
		for (Class<?> failure : annotation.storeExceptions()) {
			hints.registerType(failure, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS,
					MemberCategory.ACCESS_DECLARED_FIELDS);
		}
		Method verify = annotation.verify().isEmpty() ? null
				: ReflectionUtils.findMethod(type, annotation.verify(), specific.getParameterTypes());
		if (verify != null) {
			hints.registerMethod(verify, ExecutableMode.INVOKE);
		}
	}

}
