package dev.idempotency.method;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.KnownOperation.Coverage;
import dev.idempotency.core.KnownOperation.Kind;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.Transactions;
import dev.idempotency.method.AnnotatedBeans.AnnotatedBean;
import dev.idempotency.method.MethodOperation.TransactionScope;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Checks every protected method at startup. One that cannot work stops the application,
 * and likely mistakes are logged.
 */
final class MethodAudit {

	private static final Logger logger = LoggerFactory.getLogger(MethodAudit.class);

	private final MethodOperations operations;

	private final TransactionAdvice transactionAdvice;

	private final IdempotencyEngine engine;

	private final @Nullable Transactions transactions;

	MethodAudit(MethodOperations operations, TransactionAdvice transactionAdvice, IdempotencyEngine engine,
			@Nullable Transactions transactions) {
		this.operations = operations;
		this.transactionAdvice = transactionAdvice;
		this.engine = engine;
		this.transactions = transactions;
	}

	/**
	 * Checks every annotated method.
	 */
	List<KnownOperation> check(ConfigurableListableBeanFactory beanFactory) {
		// By name: beans of one class share their operations
		Map<String, KnownOperation> found = new TreeMap<>();
		AnnotatedBeans.forEach(beanFactory, (bean) -> {
			bean.excludedMethods()
				.map((method) -> known(method, bean, null))
				.forEach((operation) -> found.putIfAbsent(operation.name(), operation));
			List<Method> methods = bean.protectedMethods().toList();
			if (!methods.isEmpty()) {
				methods.forEach((method) -> {
					KnownOperation operation = known(method, bean, check(method, bean));
					found.put(operation.name(), operation);
				});
				checkProxy(methods, bean, beanFactory);
				SelfCalls.find(bean.type(), methods)
					.forEach((call) -> logger
						.warn("{}: a call of a bean's own method bypasses its proxy, and is not protected. "
								+ "Move one of the two to another bean", call));
			}
		});
		return List.copyOf(found.values());
	}

	private static KnownOperation known(Method method, AnnotatedBean bean, @Nullable MethodOperation operation) {
		Method specific = AnnotatedMethods.specific(method, bean.type());
		return new KnownOperation(AnnotatedMethods.operationOf(specific, bean.type()), Kind.METHOD,
				specific.getDeclaringClass().getName() + "#" + specific.getName(),
				(operation != null) ? Coverage.PROTECTED : Coverage.EXCLUDED,
				(operation != null) ? operation.forPeople() : null);
	}

	private MethodOperation check(Method method, AnnotatedBean bean) {
		Method specific = AnnotatedMethods.specific(method, bean.type());
		int modifiers = specific.getModifiers();
		if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
			throw new IdempotencyConfigurationException(
					"%s is @Idempotent and %s. Calls of it bypass the proxy, and cannot be protected".formatted(
							specific,
							Modifier.isPrivate(modifiers) ? "private"
									: Modifier.isStatic(modifiers) ? "static" : "final"),
					"Make it a public method that other beans call.");
		}
		MethodOperation operation = this.operations.operationOf(method, bean.type());
		if (operation.scope() == TransactionScope.JOINS) {
			this.engine.requireJoining(this.transactions, operation.name());
		}
		String warning = operation.key().warning();
		if (warning != null) {
			logger.warn("The key \"{}\" of {} {}", operation.key(), operation.name(), warning);
		}
		MessageListeners.doubts(specific, operation.policy())
			.forEach((doubt) -> logger.warn("{} {}", operation.name(), doubt));
		return operation;
	}

	/**
	 * Checks that a singleton has its proxy, with the claim outside of any transaction.
	 */
	private void checkProxy(List<Method> methods, AnnotatedBean bean, ConfigurableListableBeanFactory beanFactory) {
		if (!beanFactory.containsSingleton(bean.name()) || beanFactory.isFactoryBean(bean.name())) {
			return;
		}
		Object instance = beanFactory.getSingleton(bean.name());
		if (instance == null || Mocks.isMock(instance)) {
			return;
		}
		if (!(instance instanceof Advised advised) || !hasAdvisor(advised)) {
			throw new IdempotencyConfigurationException(
					"%s is @Idempotent, and its bean \"%s\" was created before it could get a proxy"
						.formatted(methods.get(0), bean.name()),
					"A bean that is created early, such as a BeanPostProcessor, needs it. Inject it there lazily "
							+ "(ObjectProvider, @Lazy), or make the @Bean method of the early bean static.");
		}
		for (Method method : methods) {
			requireInvocable(method, instance, bean);
			requireClaimFirst(method, advised, bean);
		}
	}

	private static boolean hasAdvisor(Advised advised) {
		for (Advisor advisor : advised.getAdvisors()) {
			if (advisor instanceof IdempotentMethodAdvisor) {
				return true;
			}
		}
		return false;
	}

	private static void requireInvocable(Method method, Object proxy, AnnotatedBean bean) {
		try {
			AopUtils.selectInvocableMethod(method, proxy.getClass());
		}
		catch (IllegalStateException ex) {
			throw new IdempotencyConfigurationException(
					"%s is @Idempotent, and the proxy of its bean \"%s\" does not have it".formatted(method,
							bean.name()),
					"Declare it in an interface of the bean, or set spring.aop.proxy-target-class=true.");
		}
	}

	private void requireClaimFirst(Method method, Advised advised, AnnotatedBean bean) {
		for (Advisor advisor : advised.getAdvisors()) {
			if (advisor instanceof IdempotentMethodAdvisor) {
				return;
			}
			if (this.transactionAdvice.surrounds(advisor.getAdvice(), method, bean.type())) {
				throw new IdempotencyConfigurationException(
						"The transaction of %s begins before its key is claimed, and might be rolled back after its result was stored"
							.formatted(method),
						"Leave the order out of @EnableTransactionManagement, or set one greater than %d."
							.formatted(IdempotentMethodAdvisor.ORDER));
			}
		}
	}

	/**
	 * Recognizes mocks in the place of a bean ({@code @MockitoBean}). They exist before
	 * all proxies, and run nothing that could be protected.
	 */
	private static final class Mocks {

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

}
