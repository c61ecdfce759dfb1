package dev.idempotency.autoconfigure;

import dev.idempotency.store.IdempotencyStore;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ClassUtils;

/**
 * Readable names of stores.
 */
final class StoreNames {

	private StoreNames() {
	}

	/**
	 * Our stores have the names of the settings, also behind a proxy; others the name of
	 * their class.
	 */
	static String of(IdempotencyStore store) {
		Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(store));
		String prefix = IdempotencyStore.class.getPackageName() + ".";
		return type.getPackageName().startsWith(prefix) ? type.getPackageName().substring(prefix.length())
				: type.getName();
	}

}
