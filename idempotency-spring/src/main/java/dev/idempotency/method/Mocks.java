package dev.idempotency.method;

import java.lang.reflect.Method;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Recognizes mocks in the place of a bean ({@code @MockitoBean}). They exist before all
 * proxies, and run nothing that could be protected.
 */
final class Mocks {

	private Mocks() {
	}

	static boolean isMock(Object bean) {
		ClassLoader loader = bean.getClass().getClassLoader();
		if (!ClassUtils.isPresent("org.mockito.MockingDetails", loader)) {
			return false;
		}
		Method details = method("org.mockito.Mockito", "mockingDetails", loader, Object.class);
		Method isMock = method("org.mockito.MockingDetails", "isMock", loader);
		return Boolean.TRUE
			.equals(ReflectionUtils.invokeMethod(isMock, ReflectionUtils.invokeMethod(details, null, bean)));
	}

	private static Method method(String type, String name, ClassLoader loader, Class<?>... parameters) {
		return ClassUtils.getMethod(ClassUtils.resolveClassName(type, loader), name, parameters);
	}

}
