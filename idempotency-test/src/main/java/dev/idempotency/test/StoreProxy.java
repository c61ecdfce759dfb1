package dev.idempotency.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Set;

import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.IdempotencyStore;
import org.jspecify.annotations.Nullable;

/**
 * Proxies of stores that keep their abilities, which are the interfaces that a store
 * implements.
 */
final class StoreProxy {

	private StoreProxy() {
	}

	static IdempotencyStore around(IdempotencyStore store, Interceptor interceptor) {
		return (IdempotencyStore) Proxy.newProxyInstance(store.getClass().getClassLoader(),
				abilitiesOf(store.getClass()).toArray(Class<?>[]::new), new Handler(store, interceptor));
	}

	/**
	 * Returns the store inside all proxies.
	 */
	static IdempotencyStore innermost(IdempotencyStore store) {
		return (Proxy.isProxyClass(store.getClass()) && Proxy.getInvocationHandler(store) instanceof Handler handler)
				? innermost(handler.store) : store;
	}

	private static Set<Class<?>> abilitiesOf(Class<?> type) {
		Set<Class<?>> abilities = new LinkedHashSet<>();
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			for (Class<?> ability : each.getInterfaces()) {
				if (Modifier.isPublic(ability.getModifiers())) {
					abilities.add(ability);
				}
			}
		}
		return abilities;
	}

	/**
	 * Returns the verb of a method of a store, if the engine has one for it.
	 */
	static @Nullable StoreVerb verbOf(Method method) {
		return switch (method.getName()) {
			case "claim" -> StoreVerb.CLAIM;
			case "renew", "renewAll", "holdInTransaction" -> StoreVerb.RENEW;
			case "complete", "completeInTransaction", "completeInCallersTransaction" -> StoreVerb.COMPLETE;
			case "release", "afterTransaction" -> StoreVerb.RELEASE;
			case "abandon" -> StoreVerb.ABANDON;
			case "find" -> StoreVerb.FIND;
			case "forget" -> StoreVerb.FORGET;
			default -> null;
		};
	}

	/**
	 * Intercepts the calls of a store.
	 */
	@FunctionalInterface
	interface Interceptor {

		@Nullable Object invoke(Invocation invocation) throws Throwable;

	}

	/**
	 * A call of a store.
	 *
	 * @param method the method that is called
	 * @param arguments its arguments, which may be changed
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Invocation(IdempotencyStore store, Method method, @Nullable Object[] arguments) {

		/**
		 * Calls the store.
		 */
		@Nullable Object proceed() throws Throwable {
			try {
				return this.method.invoke(this.store, this.arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}

	}

	private record Handler(IdempotencyStore store, Interceptor interceptor) implements InvocationHandler {

		@Override
		public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
				throws Throwable {
			return switch (method.getName()) {
				case "equals" -> arguments != null && proxy == arguments[0];
				case "hashCode" -> System.identityHashCode(proxy);
				default -> this.interceptor
					.invoke(new Invocation(this.store, method, (arguments != null) ? arguments : new Object[0]));
			};
		}

	}

}
