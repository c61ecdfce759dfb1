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
 * Lets beans that do work be destroyed before the engine, and with it before the store
 * and its connections: an executor that waits for its tasks does so when it is destroyed,
 * and until then their leases must be renewed and their keys completed.
 * <p>
 * Spring destroys in the opposite order of creation, in which executors often come first.
 * It goes by names here, and so creates nothing.
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
	 * Remembers that a store uses a bean that it has not got by injection.
	 * @param used the bean
	 * @param type what it was looked up as
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
	 * Whether it stops with executors or before them, as containers of message listeners
	 * and schedulers of jobs do. What is created later is destroyed before the engine
	 * anyway.
	 */
	private boolean bringsWork(String name) {
		return this.beanFactory.containsSingleton(BeanFactoryUtils.transformedBeanName(name))
				&& this.beanFactory.getBean(name) instanceof SmartLifecycle lifecycle
				&& lifecycle.getPhase() >= ExecutorConfigurationSupport.DEFAULT_PHASE;
	}

	/**
	 * Lets a bean be destroyed before the engine, unless the engine needs it: that is
	 * destroyed before it.
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
