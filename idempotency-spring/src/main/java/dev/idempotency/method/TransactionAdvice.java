package dev.idempotency.method;

import java.lang.reflect.Method;

import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ClassUtils;

/**
 * The transaction annotations of methods. Without Spring's transactions, there are none.
 */
interface TransactionAdvice {

	/**
	 * Whether the work of a method takes part in its caller's transaction.
	 */
	default boolean joinsCaller(Method method, Class<?> type) {
		return false;
	}

	/**
	 * Whether the work of a method never takes part in its caller's transaction.
	 */
	default boolean leaves(Method method, Class<?> type) {
		return false;
	}

	/**
	 * Whether an advice runs a method in a transaction.
	 */
	default boolean surrounds(Advice advice, Method method, Class<?> type) {
		return false;
	}

	/**
	 * The caller's transaction that a method takes part in, of the manager that the
	 * method names.
	 * @return {@code null} if there is none, and the method begins its own
	 */
	default @Nullable JoinedCalls callersTransaction(Method method, Class<?> type) {
		return null;
	}

	/**
	 * The transaction, or the savepoint, that a method is about to begin for itself, if
	 * it does.
	 * @param joined the manager of the transaction in which the key is completed, which
	 * is the only one that matters, or {@code null} if the key is completed after it
	 */
	default OwnTransaction ownTransaction(Method method, Class<?> type, @Nullable Object joined) {
		return OwnTransaction.NONE;
	}

	/**
	 * The advice for this application.
	 */
	static TransactionAdvice detect(BeanFactory beanFactory) {
		boolean present = ClassUtils.isPresent("org.springframework.transaction.interceptor.TransactionInterceptor",
				TransactionAdvice.class.getClassLoader());
		return present ? new OfSpring(beanFactory) : new TransactionAdvice() {
		};
	}

	/**
	 * Spring's annotation, or Jakarta's.
	 */
	final class OfSpring implements TransactionAdvice {

		private final TransactionAttributeSource annotations = new AnnotationTransactionAttributeSource(false);

		private final TransactionManagers managers;

		private OfSpring(BeanFactory beanFactory) {
			this.managers = new TransactionManagers(beanFactory);
		}

		@Override
		public boolean joinsCaller(Method method, Class<?> type) {
			Integer propagation = propagation(method, type);
			return propagation != null && !isApart(propagation);
		}

		@Override
		public boolean leaves(Method method, Class<?> type) {
			Integer propagation = propagation(method, type);
			return propagation != null && isApart(propagation);
		}

		private static boolean isApart(int propagation) {
			return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
					|| propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED
					|| propagation == TransactionDefinition.PROPAGATION_NEVER;
		}

		private @Nullable Integer propagation(Method method, Class<?> type) {
			TransactionDefinition definition = this.annotations.getTransactionAttribute(method, type);
			return (definition != null) ? definition.getPropagationBehavior() : null;
		}

		@Override
		public boolean surrounds(Advice advice, Method method, Class<?> type) {
			if (!(advice instanceof TransactionInterceptor interceptor)) {
				return false;
			}
			TransactionAttributeSource source = interceptor.getTransactionAttributeSource();
			return source != null && source.getTransactionAttribute(method, type) != null;
		}

		@Override
		public @Nullable JoinedCalls callersTransaction(Method method, Class<?> type) {
			TransactionManager manager = this.managers.of(this.annotations.getTransactionAttribute(method, type), type);
			if (manager == null || !TransactionManagers.isInTransaction(manager)) {
				return null;
			}
			JoinedCalls caller = JoinedCalls.current(manager);
			if (caller == null) {
				throw new IllegalStateException(
						("%s was called after its caller's transaction had ended, while that was cleaned up. Its work would "
								+ "not be committed. Let it begin its own transaction (propagation = REQUIRES_NEW)")
							.formatted(method));
			}
			return caller;
		}

		@Override
		public OwnTransaction ownTransaction(Method method, Class<?> type, @Nullable Object joined) {
			TransactionAttribute attribute = this.annotations.getTransactionAttribute(method, type);
			TransactionManager manager = (attribute != null) ? this.managers.of(attribute, type) : null;
			if (attribute == null || manager == null || (joined != null && joined != manager)) {
				return OwnTransaction.NONE;
			}
			return begins(attribute, manager, joined != null) ? TransactionWatch.expect(manager) : OwnTransaction.NONE;
		}

		private static boolean begins(TransactionDefinition definition, TransactionManager manager, boolean joins) {
			return switch (definition.getPropagationBehavior()) {
				case TransactionDefinition.PROPAGATION_REQUIRED ->
					!joins && !TransactionManagers.isInTransaction(manager);
				case TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NESTED -> true;
				default -> false;
			};
		}

	}

}
