package dev.idempotency.autoconfigure;

import java.util.concurrent.ThreadFactory;

import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.reactive.ReactiveEngine;
import dev.idempotency.reactive.StoreThreads;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the engine for code that uses Reactor, in any kind of
 * application.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass(Mono.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyReactorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StoreThreads idempotencyStoreThreads(IdempotencyStore store, IdempotencyProperties properties,
			Environment environment) {
		ThreadFactory factory = Threading.VIRTUAL.isActive(environment) ? StoreThreads.virtualThreads()
				: StoreThreads.platformThreads();
		return new StoreThreads(properties.reactive().threads(), properties.reactive().queue(), factory,
				!(store instanceof InMemoryIdempotencyStore));
	}

	@Bean
	@ConditionalOnMissingBean
	ReactiveEngine idempotencyReactiveEngine(IdempotencyEngine engine, StoreThreads threads) {
		return new ReactiveEngine(engine, threads);
	}

}
