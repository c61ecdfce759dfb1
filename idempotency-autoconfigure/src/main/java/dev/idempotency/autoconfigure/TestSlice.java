package dev.idempotency.autoconfigure;

import java.time.Duration;

import dev.idempotency.core.Transactions;
import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.StoredResult;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;

/**
 * A part of an application that is tested without its database. Transactions are
 * simulated, and a store in memory takes part in them, so transactional handlers run in a
 * slice, too. Nothing is rolled back.
 */
final class TestSlice {

	private final ThreadLocal<Integer> open = ThreadLocal.withInitial(() -> 0);

	Transactions transactions() {
		return () -> {
			this.open.set(this.open.get() + 1);
			return new PlayedTransaction();
		};
	}

	/**
	 * Returns the same store, which also completes keys in simulated transactions.
	 */
	IdempotencyStore joining(IdempotencyStore store) {
		ProxyFactory factory = new ProxyFactory(store);
		factory.addInterface(JoiningStore.class);
		factory.addAdvice((MethodInterceptor) (invocation) -> invoke(invocation, store));
		return (IdempotencyStore) factory.getProxy(store.getClass().getClassLoader());
	}

	private final class PlayedTransaction implements Transactions.Transaction {

		@Override
		public void commit() {
			TestSlice.this.open.set(TestSlice.this.open.get() - 1);
		}

		@Override
		public void rollBack() {
			commit();
		}

	}

	private @Nullable Object invoke(MethodInvocation invocation, IdempotencyStore store) throws Throwable {
		Object[] arguments = invocation.getArguments();
		return switch (invocation.getMethod().getName()) {
			case "isInTransaction" -> this.open.get() > 0;
			case "completeInTransaction", "completeInCallersTransaction" -> {
				if (this.open.get() == 0) {
					throw new IllegalStateException("There is no transaction to complete a key in");
				}
				yield store.complete((Claim) arguments[0], (StoredResult) arguments[1], (Duration) arguments[2]);
			}
			case "holdInTransaction" -> store.renew((Claim) arguments[0], (Duration) arguments[1]);
			case "afterTransaction" -> !store.release((Claim) arguments[0]);
			default -> invocation.proceed();
		};
	}

}
