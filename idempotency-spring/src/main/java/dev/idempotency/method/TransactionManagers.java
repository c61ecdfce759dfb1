package dev.idempotency.method;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Finds the transaction manager of a method: the one that Spring's own interceptor would
 * use.
 */
final class TransactionManagers extends TransactionAspectSupport {

	private static final TransactionDefinition EXISTING = existing();

	private volatile boolean prepared;

	TransactionManagers(BeanFactory beanFactory) {
		setBeanFactory(beanFactory);
	}

	private static TransactionDefinition existing() {
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition(
				TransactionDefinition.PROPAGATION_MANDATORY);
		// Accepts a read-only transaction, too
		definition.setReadOnly(true);
		return definition;
	}

	/**
	 * The manager of a method.
	 * @return {@code null} if there is none, or it is ambiguous
	 */
	@Nullable TransactionManager of(@Nullable TransactionAttribute attribute, Class<?> type) {
		prepare();
		try {
			return determineTransactionManager(attribute, type);
		}
		catch (BeansException ex) {
			// The transaction of the method will report this
			return null;
		}
	}

	/**
	 * Runs on the first call, because managers are beans that need others.
	 */
	private void prepare() {
		BeanFactory beanFactory = getBeanFactory();
		if (!this.prepared && beanFactory != null) {
			TransactionInterceptor interceptor = beanFactory.getBeanProvider(TransactionInterceptor.class)
				.getIfUnique();
			if (interceptor != null && interceptor.getTransactionManager() != null) {
				setTransactionManager(interceptor.getTransactionManager());
			}
			this.prepared = true;
		}
	}

	/**
	 * Whether the calling thread is in a transaction of a manager.
	 */
	static boolean isInTransaction(TransactionManager manager) {
		boolean inAny = TransactionSynchronizationManager.isActualTransactionActive()
				|| TransactionWatch.latestOf(manager) != null;
		if (!inAny || !(manager instanceof PlatformTransactionManager platform)) {
			return false;
		}
		try {
			TransactionStatus status = platform.getTransaction(EXISTING);
			if (status instanceof DefaultTransactionStatus told && told.isNewSynchronization()) {
				// The participation has started a synchronization that must be ended
				platform.commit(status);
			}
			return true;
		}
		catch (IllegalTransactionStateException ex) {
			return false;
		}
	}

}
