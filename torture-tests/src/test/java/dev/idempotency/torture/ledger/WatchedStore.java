package dev.idempotency.torture.ledger;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.torture.ledger.Journal.Entry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Writes down what a store grants, renews and completes, and when it was asked and when
 * it had answered: the moment at which it decided is in between.
 */
final class WatchedStore implements InvocationHandler {

	private final IdempotencyStore store;

	private final Journal journal;

	private final String instance;

	private WatchedStore(IdempotencyStore store, Journal journal, String instance) {
		this.store = store;
		this.journal = journal;
		this.instance = instance;
	}

	static IdempotencyStore watch(IdempotencyStore store, Journal journal, String instance) {
		return like(store, new WatchedStore(store, journal, instance));
	}

	/**
	 * Something that has all the abilities of a store.
	 */
	static IdempotencyStore like(IdempotencyStore store, InvocationHandler handler) {
		return (IdempotencyStore) Proxy.newProxyInstance(IdempotencyStore.class.getClassLoader(),
				ClassUtils.getAllInterfaces(store), handler);
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
		String verb = method.getName();
		if (Set.of("release", "abandon", "afterTransaction").contains(verb) && arguments != null) {
			// Before it: who knows what comes between. A transaction that was rolled back
			// gives its key back, too
			this.journal.write(verb.equals("abandon") ? Entry.REPORTING : Entry.RELEASING,
					((Claim) arguments[0]).owner(), System.nanoTime());
		}
		long asked = System.nanoTime();
		Object answer = call(this.store, method, arguments);
		if (answer instanceof ClaimResult.Granted granted) {
			Claim claim = granted.claim();
			IdempotencyKey key = (arguments != null) ? (IdempotencyKey) arguments[0] : claim.key();
			this.journal.write(Entry.GRANTED, String.valueOf(key.scope().principal()), key.value(), claim.attempt(),
					claim.owner(), this.instance, asked, System.nanoTime());
		}
		else if (Boolean.TRUE.equals(answer) && arguments != null
				&& (verb.equals("renew") || verb.equals("complete") || verb.equals("afterTransaction"))) {
			this.journal.write(verb.equals("renew") ? Entry.RENEWED : Entry.COMPLETED, ((Claim) arguments[0]).owner(),
					asked, System.nanoTime());
		}
		else if (verb.equals("renewAll") && arguments != null && arguments[0] instanceof List<?> claims
				&& answer instanceof Set<?> lost) {
			long answered = System.nanoTime();
			claims.stream()
				.filter((claim) -> !lost.contains(claim))
				.forEach((claim) -> this.journal.write(Entry.RENEWED, ((Claim) claim).owner(), asked, answered));
		}
		return answer;
	}

	/**
	 * Calls through, and throws what the store throws.
	 */
	static @Nullable Object call(IdempotencyStore store, Method method, Object @Nullable [] arguments)
			throws Throwable {
		try {
			return method.invoke(store, arguments);
		}
		catch (InvocationTargetException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

}
