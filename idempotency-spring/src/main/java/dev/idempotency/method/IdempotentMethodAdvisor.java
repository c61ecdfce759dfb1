package dev.idempotency.method;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import dev.idempotency.Idempotent;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Applies the edge to methods of beans. It is created before almost everything else, and
 * therefore gets the edge only on the first call.
 */
final class IdempotentMethodAdvisor extends DefaultPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	/**
	 * Outside of transactions, which come last by default.
	 */
	static final int ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

	IdempotentMethodAdvisor(Supplier<MethodEdge> edge) {
		this((MethodInterceptor) (invocation) -> edge.get().invoke(invocation));
	}

	IdempotentMethodAdvisor(MethodInterceptor edge) {
		super(new IdempotentPointcut(), edge);
		setOrder(ORDER);
	}

	private static final class IdempotentPointcut extends StaticMethodMatcherPointcut {

		private IdempotentPointcut() {
			setClassFilter((type) -> AnnotationUtils.isCandidateClass(type, Idempotent.class));
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return AnnotatedMethods.find(method, targetClass) != null
					|| AnnotatedMethods.isProtectedByItsCallback(method, targetClass);
		}

	}

}
