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
 * Hints for native images about what the library looks up at runtime.
 */
final class IdempotencyRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("dev/idempotency/store/jdbc/*.sql");
		hints.resources().registerPattern("dev/idempotency/store/redis/*.lua");
		hints.resources().registerPattern("dev/idempotency/actuate/*");
		// Found as a merged annotation, and read attribute by attribute
		hints.proxies().registerJdkProxy(Idempotent.class);
		hints.reflection().registerType(Idempotent.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		// Its methods are the functions of key expressions
		hints.reflection()
			.registerType(TypeReference.of(KeyExpression.class.getPackageName() + ".KeyParts"),
					MemberCategory.INVOKE_PUBLIC_METHODS);
		// Stand-ins for a request and its response after they have ended
		hints.proxies().registerJdkProxy(TypeReference.of("jakarta.servlet.http.HttpServletRequest"));
		hints.proxies().registerJdkProxy(TypeReference.of("jakarta.servlet.http.HttpServletResponse"));
		// Visits the predicates of routes
		hints.proxies()
			.registerJdkProxy(TypeReference.of("org.springframework.web.servlet.function.RequestPredicates$Visitor"));
		hints.proxies()
			.registerJdkProxy(
					TypeReference.of("org.springframework.web.reactive.function.server.RequestPredicates$Visitor"));
		// Its methods are called through a proxy
		hints.reflection()
			.registerType(TypeReference.of("jakarta.servlet.http.HttpServletResponse"),
					MemberCategory.INVOKE_PUBLIC_METHODS);
		// The annotation of tools, and the method behind them
		hints.proxies().registerJdkProxy(SideEffects.class);
		hints.reflection()
			.registerType(SideEffects.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerTypeIfPresent(classLoader, "org.springframework.ai.tool.method.MethodToolCallback",
					MemberCategory.ACCESS_DECLARED_FIELDS);
		// Their getters of the data source
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
		// Its target is determined by reflection
		hints.reflection()
			.registerTypeIfPresent(classLoader, "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource",
					MemberCategory.INVOKE_DECLARED_METHODS);
		// Its presence decides how methods take part in transactions
		hints.reflection()
			.registerTypeIfPresent(classLoader, "org.springframework.transaction.interceptor.TransactionInterceptor");
		// Its attributes tell a name from the text of an object
		hints.reflection()
			.registerTypeIfPresent(classLoader, "org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal",
					MemberCategory.INVOKE_PUBLIC_METHODS);
		// Their presence decides what is supported for Reactor
		hints.reflection()
			.registerTypeIfPresent(classLoader, "reactor.core.publisher.Mono")
			.registerTypeIfPresent(classLoader, "io.micrometer.context.ContextSnapshot");
	}

}
