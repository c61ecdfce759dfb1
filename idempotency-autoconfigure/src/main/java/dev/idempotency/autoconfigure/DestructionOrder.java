package dev.idempotency.autoconfigure;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

import dev.idempotency.core.IdempotencyEngine;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Ensures that beans that do work are destroyed before the engine, and so before the
 * store and its connections. An executor waits for its tasks when it is destroyed. Until
 * then, their leases must be renewed and their keys completed.
 * <p>
 * Spring destroys beans in the reverse order of creation, and executors are often created
 * first. This class uses the names of beans, so it creates none.
 */
final class DestructionOrder implements SmartInitializingSingleton {

	/**
	 * The name of the store's bean.
	 */
	static final String STORE = "idempotencyStore";

	private final ConfigurableListableBeanFactory beanFactory;

	DestructionOrder(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Registers that the store uses a bean that was not injected.
	 * @param used the bean
	 * @param type the type of its lookup
	 */
	static void outlivesStore(Object used, Class<?> type, ConfigurableListableBeanFactory beanFactory) {
		for (String name : beanFactory.getBeanNamesForType(type, false, false)) {
			if (beanFactory.containsSingleton(name) && beanFactory.getBean(name) == used) {
				beanFactory.registerDependentBean(name, STORE);
			}
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		Set<String> workers = new LinkedHashSet<>();
		workers.addAll(List.of(this.beanFactory.getBeanNamesForType(Executor.class, false, false)));
		workers.addAll(List.of(this.beanFactory.getBeanNamesForType(TaskScheduler.class, false, false)));
		for (String name : this.beanFactory.getBeanNamesForType(SmartLifecycle.class, false, false)) {
			if (bringsWork(name)) {
				workers.add(name);
			}
		}
		workers.forEach(this::destroyBeforeEngine);
	}

	/**
	 * Whether a bean stops with executors or before them, as containers of message
	 * listeners and job schedulers do. Beans that are created later are destroyed before
	 * the engine anyway.
	 */
	private boolean bringsWork(String name) {
		return this.beanFactory.containsSingleton(BeanFactoryUtils.transformedBeanName(name))
				&& this.beanFactory.getBean(name) instanceof SmartLifecycle lifecycle
				&& lifecycle.getPhase() >= ExecutorConfigurationSupport.DEFAULT_PHASE;
	}

	/**
	 * Ensures that a bean is destroyed before the engine, unless the engine depends on
	 * it.
	 */
	void destroyBeforeEngine(String name) {
		String worker = BeanFactoryUtils.transformedBeanName(name);
		Set<String> goWithIt = new HashSet<>();
		collectDependents(worker, goWithIt);
		for (String engine : this.beanFactory.getBeanNamesForType(IdempotencyEngine.class, false, false)) {
			if (!goWithIt.contains(engine)) {
				this.beanFactory.registerDependentBean(engine, worker);
			}
		}
	}

	private void collectDependents(String name, Set<String> found) {
		for (String dependent : this.beanFactory.getDependentBeans(name)) {
			if (found.add(dependent)) {
				collectDependents(dependent, found);
			}
		}
	}

}
