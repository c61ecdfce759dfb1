package dev.idempotency.autoconfigure;

import dev.idempotency.store.IdempotencyStore;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ClassUtils;

/**
 * What stores are called in front of people.
 */
final class StoreNames {

	private StoreNames() {
	}

	/**
	 * Ours by what the settings call them, also behind a proxy; others by their class.
	 */
	static String of(IdempotencyStore store) {
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(store));
		String prefix = IdempotencyStore.class.getPackageName() + ".";
		return type.getPackageName().startsWith(prefix) ? type.getPackageName().substring(prefix.length())
				: type.getName();
	}

}
