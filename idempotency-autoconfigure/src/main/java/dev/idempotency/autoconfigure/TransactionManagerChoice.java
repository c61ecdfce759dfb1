package dev.idempotency.autoconfigure;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ReflectionUtils;

/**
 * Chooses the transaction manager of operations: the only one, that of the store's
 * database, or the primary one.
 */
final class TransactionManagerChoice {

	private final Collection<PlatformTransactionManager> managers;

	TransactionManagerChoice(Collection<PlatformTransactionManager> managers) {
		this.managers = managers;
	}

	/**
	 * Chooses one.
	 * @param primary the only or primary one, or {@code null} if there is none
	 * @param store the store, which is resolved only if there are several managers
	 * @return {@code null} if nothing says which
	 */
	@Nullable PlatformTransactionManager choose(@Nullable PlatformTransactionManager primary,
			Supplier<@Nullable IdempotencyStore> store) {
		if (this.managers.size() == 1) {
			return this.managers.iterator().next();
		}
		List<PlatformTransactionManager> ofStore = (store.get() instanceof JdbcIdempotencyStore jdbc)
				? this.managers.stream().filter((manager) -> manages(manager, jdbc.dataSource())).toList() : List.of();
		return (ofStore.size() == 1) ? ofStore.get(0) : primary;
	}

	/**
	 * By name, since the managers of JDBC, JPA and Hibernate have this getter, but no
	 * common type that declares it.
	 */
	private static boolean manages(PlatformTransactionManager manager, DataSource dataSource) {
		Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
		return getter != null && ReflectionUtils.invokeMethod(getter, manager) == dataSource;
	}

}
