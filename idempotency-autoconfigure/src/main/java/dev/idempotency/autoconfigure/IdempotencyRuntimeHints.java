package dev.idempotency.autoconfigure;

import dev.idempotency.Idempotent;
import dev.idempotency.ai.SideEffects;
import dev.idempotency.http.KeyExpression;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Tells native images what the library looks up when it runs.
 */
final class IdempotencyRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("dev/idempotency/store/jdbc/*.sql");
		hints.resources().registerPattern("dev/idempotency/store/redis/*.lua");
		hints.resources().registerPattern("dev/idempotency/actuate/*");
		// Merged with what it is on, and read attribute by attribute
		hints.proxies().registerJdkProxy(Idempotent.class);
		hints.reflection().registerType(Idempotent.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		// Its methods are the functions of key expressions
		hints.reflection()
			.registerType(TypeReference.of(KeyExpression.class.getPackageName() + ".KeyParts"),
					MemberCategory.INVOKE_PUBLIC_METHODS);
		// What is left of a request whose client is gone
		hints.proxies().registerJdkProxy(TypeReference.of("jakarta.servlet.http.HttpServletRequest"));
		hints.proxies().registerJdkProxy(TypeReference.of("jakarta.servlet.http.HttpServletResponse"));
		// Sees what routes are made of
		hints.proxies()
			.registerJdkProxy(TypeReference.of("org.springframework.web.servlet.function.RequestPredicates$Visitor"));
		hints.proxies()
			.registerJdkProxy(
					TypeReference.of("org.springframework.web.reactive.function.server.RequestPredicates$Visitor"));
		// What threads of a handler ask of it on its way
		hints.reflection()
			.registerType(TypeReference.of("jakarta.servlet.http.HttpServletResponse"),
					MemberCategory.INVOKE_PUBLIC_METHODS);
		// What tools say about themselves, and the method behind them
		hints.proxies().registerJdkProxy(SideEffects.class);
		hints.reflection()
			.registerType(SideEffects.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerTypeIfPresent(classLoader, "org.springframework.ai.tool.method.MethodToolCallback",
					MemberCategory.ACCESS_DECLARED_FIELDS);
		// Whose database they manage
		for (String manager : new String[] { "jdbc.datasource.DataSourceTransactionManager",
				"orm.jpa.JpaTransactionManager" }) {
			hints.reflection()
				.registerTypeIfPresent(classLoader, "org.springframework." + manager,
						MemberCategory.INVOKE_PUBLIC_METHODS);
		}
		// Copied field by field, for renewals
		hints.reflection()
			.registerTypeIfPresent(classLoader, "com.zaxxer.hikari.HikariConfig",
					MemberCategory.ACCESS_DECLARED_FIELDS);
		// Asked where it leads
		hints.reflection()
			.registerTypeIfPresent(classLoader, "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource",
					MemberCategory.INVOKE_DECLARED_METHODS);
		// Whether it is there decides how methods go with transactions
		hints.reflection()
			.registerTypeIfPresent(classLoader, "org.springframework.transaction.interceptor.TransactionInterceptor");
		// Whether they are there decides what is done for Reactor
		hints.reflection()
			.registerTypeIfPresent(classLoader, "reactor.core.publisher.Mono")
			.registerTypeIfPresent(classLoader, "io.micrometer.context.ContextSnapshot");
	}

}
