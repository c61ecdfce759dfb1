package dev.idempotency.autoconfigure;

import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.core.Transactions;
import dev.idempotency.method.IdempotencyMethods;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.Order;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Auto-configuration of the edge for methods of any bean.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@Import(IdempotencyMethodAutoConfiguration.ProxyCreator.class)
public final class IdempotencyMethodAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Advisor idempotencyMethodAdvisor(ObjectProvider<IdempotencyMethods> methods) {
		return IdempotencyMethods.advisor(methods::getObject);
	}

	@Bean
	IdempotencyMethods idempotencyMethods(IdempotencyEngine engine, Calls calls, AnnotationPolicies policies,
			ObjectProvider<Transactions> transactions, BeanFactory beanFactory) {
		return new IdempotencyMethods(engine, calls, policies, transactions.getIfAvailable(), beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnClass(name = "org.springframework.transaction.ConfigurableTransactionManager")
	static BeanPostProcessor idempotencyTransactionWatch() {
		return IdempotencyMethods.transactionWatch();
	}

	@Bean
	@Order(0)
	ResultWriter idempotencyMethodResultWriter(IdempotencyMethods methods) {
		return methods.resultWriter();
	}

	@Bean
	SmartInitializingSingleton idempotencyMethodCheck(IdempotencyMethods methods,
			ConfigurableListableBeanFactory beanFactory, DestructionOrder order) {
		return () -> {
			methods.checkBeans(beanFactory);
			// A bean may wait for its own work when it is destroyed
			IdempotencyMethods.beansWithMethods(beanFactory).forEach(order::destroyBeforeEngine);
		};
	}

	/**
	 * Registers the auto-proxy creator, if nothing else has.
	 */
	static final class ProxyCreator implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

}
