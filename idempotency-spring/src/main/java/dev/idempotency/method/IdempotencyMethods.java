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
 * The parts of the edge for methods, put together.
 */
public final class IdempotencyMethods implements OperationCatalog {

	private final TransactionAdvice transactionAdvice;

	private final IdempotencyEngine engine;

	private final @Nullable Transactions transactions;

	private final MethodEdge edge;

	private volatile List<KnownOperation> known = List.of();

	/**
	 * Create the edge.
	 * @param engine decides
	 * @param calls carries results
	 * @param policies how annotated operations are protected
	 * @param transactions in which methods run that are transactional, or {@code null} if
	 * there are none
	 * @param beanFactory where the managers of transactions are
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
	 * Hears of the ends of transactions that protected methods may become a part of.
	 * @return what is to see every bean
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
	 * Puts the edge around methods of beans.
	 * @param methods asked for when the first call comes
	 */
	public static Advisor advisor(Supplier<IdempotencyMethods> methods) {
		return new IdempotentMethodAdvisor(() -> methods.get().edge);
	}

	/**
	 * Puts nothing around them but a context that passes everything through, so that an
	 * application still runs when protection is switched off.
	 */
	public static Advisor disabledAdvisor() {
		return new IdempotentMethodAdvisor(new UnprotectedMethods());
	}

	/**
	 * Looks at every annotated method of every bean, and from then on knows what they do.
	 * @param beanFactory the beans
	 * @throws IdempotencyConfigurationException if one cannot work
	 */
	public void checkBeans(ConfigurableListableBeanFactory beanFactory) {
		this.known = new MethodAudit(this.edge.operations(), this.transactionAdvice, this.engine, this.transactions)
			.check(beanFactory);
	}

	/**
	 * The beans that have protected methods.
	 * @param beanFactory the beans
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
	 * Writes the results of methods that operators give.
	 */
	public ResultWriter resultWriter() {
		return new GivenValues(this.edge.operations()::formatOf);
	}

}
