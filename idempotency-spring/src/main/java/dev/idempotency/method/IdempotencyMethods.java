package dev.idempotency.method;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.call.GivenValues;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.OperationCatalog;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.core.Transactions;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The edge for methods.
 */
public final class IdempotencyMethods implements OperationCatalog {

	private final TransactionAdvice transactionAdvice;

	private final IdempotencyEngine engine;

	private final @Nullable Transactions transactions;

	private final MethodEdge edge;

	private volatile List<KnownOperation> known = List.of();

	/**
	 * Create the edge.
	 * @param calls runs calls
	 * @param policies the policies of annotated operations
	 * @param transactions the transactions of transactional methods, or {@code null} if
	 * there are none
	 * @param beanFactory contains the transaction managers
	 */
	public IdempotencyMethods(IdempotencyEngine engine, Calls calls, AnnotationPolicies policies,
			@Nullable Transactions transactions, BeanFactory beanFactory) {
		this.engine = engine;
		this.transactions = transactions;
		this.transactionAdvice = TransactionAdvice.detect(beanFactory);
		this.edge = new MethodEdge(engine, calls, new MethodOperations(policies, calls.codec(), this.transactionAdvice),
				this.transactionAdvice, transactions);
	}

	/**
	 * Watches the transactions that protected methods may join.
	 * @return a post-processor for all beans
	 */
	public static BeanPostProcessor transactionWatch() {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				if (bean instanceof PlatformTransactionManager
						&& bean instanceof ConfigurableTransactionManager manager) {
					TransactionWatch.watch(manager);
				}
				return bean;
			}

		};
	}

	/**
	 * Applies the edge to methods of beans.
	 * @param methods called on the first invocation
	 */
	public static Advisor advisor(Supplier<IdempotencyMethods> methods) {
		return new IdempotentMethodAdvisor(() -> methods.get().edge);
	}

	/**
	 * Applies only a context without protection, so that an application still runs when
	 * protection is switched off.
	 */
	public static Advisor disabledAdvisor() {
		return new IdempotentMethodAdvisor(new UnprotectedMethods());
	}

	/**
	 * Checks every annotated method of every bean, and remembers their operations.
	 * @throws IdempotencyConfigurationException if one of them cannot work
	 */
	public void checkBeans(ConfigurableListableBeanFactory beanFactory) {
		this.known = new MethodAudit(this.edge.operations(), this.transactionAdvice, this.engine, this.transactions)
			.check(beanFactory);
	}

	/**
	 * The beans that have protected methods.
	 */
	public static List<String> beansWithMethods(ConfigurableListableBeanFactory beanFactory) {
		List<String> names = new ArrayList<>();
		AnnotatedBeans.forEach(beanFactory, (bean) -> {
			if (bean.protectedMethods().findAny().isPresent()) {
				names.add(bean.name());
			}
		});
		return names;
	}

	@Override
	public List<KnownOperation> operations() {
		return this.known;
	}

	/**
	 * Writes results that operators provide for methods.
	 */
	public ResultWriter resultWriter() {
		return new GivenValues(this.edge.operations()::formatOf);
	}

}
