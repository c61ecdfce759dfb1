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
 * Puts the edge around methods of beans. It is created before almost everything else, and
 * so asks for the edge only when the first call comes.
 */
final class IdempotentMethodAdvisor extends DefaultPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	/**
	 * Outside of transactions, which come last unless told otherwise.
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
