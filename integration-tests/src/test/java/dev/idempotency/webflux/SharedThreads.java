package dev.idempotency.webflux;

import java.util.concurrent.ThreadFactory;

import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Reactor's threads, which all servers of a process share. A new thread takes over the
 * class loader of the thread that starts it: that of a Tomcat finds nothing any more once
 * its server has stopped.
 */
final class SharedThreads implements Schedulers.Factory {

	@Override
	public Scheduler newBoundedElastic(int threads, int queue, ThreadFactory factory, int ttlSeconds) {
		return Schedulers.Factory.super.newBoundedElastic(threads, queue, independent(factory), ttlSeconds);
	}

	@Override
	public Scheduler newParallel(int parallelism, ThreadFactory factory) {
		return Schedulers.Factory.super.newParallel(parallelism, independent(factory));
	}

	@Override
	public Scheduler newSingle(ThreadFactory factory) {
		return Schedulers.Factory.super.newSingle(independent(factory));
	}

	private static ThreadFactory independent(ThreadFactory factory) {
		return (task) -> {
			Thread thread = factory.newThread(task);
			thread.setContextClassLoader(SharedThreads.class.getClassLoader());
			return thread;
		};
	}

}
