package dev.idempotency.autoconfigure;

import dev.idempotency.autoconfigure.IdempotencyProperties.Http;
import dev.idempotency.core.AnswerReader;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.ProblemFormat;
import dev.idempotency.http.ReplayAuthorizer;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.ScopeResolver;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Configuration of what the edges for Spring MVC and for WebFlux have in common, also
 * when protection is switched off.
 */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {

	@Bean
	Http idempotencyHttpSettings(ObjectProvider<IdempotencyProperties> properties, Environment environment) {
		IdempotencyProperties all = properties.getIfAvailable();
		// Only these when protection is switched off, perhaps because of a wrong value
		// elsewhere
		return (all != null) ? all.http() : Binder.get(environment).bindOrCreate("idempotency.http", Http.class);
	}

	@Bean
	@ConditionalOnMissingBean
	KeyResolver idempotencyKeyResolver(Http http) {
		return KeyResolver.header(http.header(), http.keySyntax());
	}

	@Bean
	@ConditionalOnMissingBean
	ScopeResolver idempotencyScopeResolver() {
		return ScopeResolver.principal();
	}

	@Bean
	@ConditionalOnMissingBean
	RequestFingerprinter idempotencyRequestFingerprinter(Http http) {
		return switch (http.fingerprint()) {
			case NONE -> RequestFingerprinter.none();
			case BYTES -> RequestFingerprinter.bytes();
			case CANONICAL_JSON -> RequestFingerprinter.canonicalJson();
		};
	}

	@Bean
	@ConditionalOnMissingBean
	ResponsePolicy idempotencyResponsePolicy() {
		return ResponsePolicy.finalAnswers();
	}

	@Bean
	HttpStrategies idempotencyHttpStrategies(KeyResolver keyResolver, ScopeResolver scopeResolver,
			RequestFingerprinter fingerprinter, ResponsePolicy responsePolicy,
			ObjectProvider<ProblemFormat> problemFormats, ObjectProvider<ReplayAuthorizer> replayAuthorizer) {
		return new HttpStrategies(keyResolver, scopeResolver, fingerprinter, responsePolicy,
				problemFormats.orderedStream().toList(), replayAuthorizer.getIfAvailable());
	}

	@Bean
	AnswerReader idempotencyAnswerReader() {
		return HttpAnswer::describe;
	}

	@Bean
	StartupFact idempotencyScopeFact(ApplicationContext context) {
		return new StartupFact("scope",
				context.containsBean("idempotencyScopeResolver") ? "principal" : "by the application's ScopeResolver");
	}

}
