package dev.idempotency.transactions;

import java.time.Duration;

import javax.sql.DataSource;

import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import org.aopalliance.intercept.MethodInterceptor;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Stores that break what they promise about transactions.
 */
final class BrokenStore {

	private BrokenStore() {
	}

	private static IdempotencyStore around(JdbcIdempotencyStore store, MethodInterceptor fault) {
		store.prepareTable(InitializeSchema.ALWAYS);
		ProxyFactory factory = new ProxyFactory(store);
		factory.addAdvice(fault);
		return (IdempotencyStore) factory.getProxy();
	}

	/**
	 * Completes keys at once, and not with the work.
	 */
	@Configuration(proxyBeanMethods = false)
	static class CompletesApart {

		@Bean
		IdempotencyStore brokenStore(DataSource dataSource) {
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
			return around(store, (invocation) -> switch (invocation.getMethod().getName()) {
				case "completeInTransaction", "completeInCallersTransaction" -> {
					Object[] arguments = invocation.getArguments();
					yield store.complete((Claim) arguments[0], (StoredResult) arguments[1], (Duration) arguments[2]);
				}
				default -> invocation.proceed();
			});
		}

	}

	/**
	 * Says that keys were given back, and keeps them.
	 */
	@Configuration(proxyBeanMethods = false)
	static class NeverGivesBack {

		@Bean
		IdempotencyStore brokenStore(DataSource dataSource) {
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
			return around(store, (invocation) -> switch (invocation.getMethod().getName()) {
				case "release", "afterTransaction" -> true;
				default -> invocation.proceed();
			});
		}

	}

	/**
	 * Says that keys were completed, and forgets them.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ForgetsResults {

		@Bean
		IdempotencyStore brokenStore(DataSource dataSource) {
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
			return around(store, (invocation) -> switch (invocation.getMethod().getName()) {
				case "complete", "completeInTransaction", "completeInCallersTransaction" ->
					store.forget((Claim) invocation.getArguments()[0]);
				default -> invocation.proceed();
			});
		}

	}

}
