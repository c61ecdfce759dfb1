package dev.idempotency.test;

import java.lang.reflect.Method;

import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.IdempotencyStore;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;

/**
 * Something around a store that keeps its abilities, which are the interfaces that it
 * implements.
 */
final class StoreProxy {

	private StoreProxy() {
	}

	static IdempotencyStore around(IdempotencyStore store, MethodInterceptor interceptor) {
		ProxyFactory factory = new ProxyFactory(store);
		factory.addAdvice(interceptor);
		return (IdempotencyStore) factory.getProxy(store.getClass().getClassLoader());
	}

	/**
	 * What a method of a store is for, if the engine has a name for it.
	 */
	static @Nullable StoreVerb verbOf(Method method) {
		return switch (method.getName()) {
			case "claim" -> StoreVerb.CLAIM;
			case "renew" -> StoreVerb.RENEW;
			case "complete", "completeInTransaction", "completeInCallersTransaction" -> StoreVerb.COMPLETE;
			case "release", "afterTransaction" -> StoreVerb.RELEASE;
			case "find" -> StoreVerb.FIND;
			case "forget" -> StoreVerb.FORGET;
			default -> null;
		};
	}

}
