package dev.idempotency.autoconfigure;

import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.store.redis.RedisIdempotencyStore;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of the store in Redis.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyRedisAutoConfiguration {

	IdempotencyRedisAutoConfiguration() {
	}

	@Bean
	StoreCandidate idempotencyRedisStoreCandidate(IdempotencyProperties properties,
			RedisConnectionFactory connectionFactory) {
		return new StoreCandidate(StoreType.REDIS, () -> {
			RedisIdempotencyStore store = new RedisIdempotencyStore(connectionFactory, properties.redis().keyPrefix(),
					properties.redis().waitForReplicas());
			store.checkServer(OperationProperties.shortestLease(properties));
			return store;
		});
	}

}
