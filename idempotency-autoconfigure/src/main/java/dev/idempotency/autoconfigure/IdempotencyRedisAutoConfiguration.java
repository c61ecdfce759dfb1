package dev.idempotency.autoconfigure;

import java.util.Arrays;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.store.redis.RedisIdempotencyStore;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of the store in Redis.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnBean(RedisConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyRedisAutoConfiguration {

	@Bean
	StoreCandidate idempotencyRedisStoreCandidate(IdempotencyProperties properties,
			ObjectProvider<RedisConnectionFactory> connectionFactories, ConfigurableListableBeanFactory beanFactory) {
		return new StoreCandidate(StoreType.REDIS, () -> {
			RedisConnectionFactory connections = only(connectionFactories, beanFactory);
			DestructionOrder.outlivesStore(connections, RedisConnectionFactory.class, beanFactory);
			RedisIdempotencyStore store = new RedisIdempotencyStore(connections, properties.redis().keyPrefix(),
					properties.redis().waitForReplicas());
			store.checkServer(OperationProperties.shortestLease(properties));
			return store;
		});
	}

	private static RedisConnectionFactory only(ObjectProvider<RedisConnectionFactory> connectionFactories,
			ListableBeanFactory beanFactory) {
		RedisConnectionFactory only = connectionFactories.getIfUnique();
		if (only == null) {
			String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory,
					RedisConnectionFactory.class);
			throw new IdempotencyConfigurationException(
					"Idempotency keys can be stored through several RedisConnectionFactories (%s), and none is primary"
						.formatted(Arrays.stream(names).sorted().collect(Collectors.joining(", "))),
					"Mark one as primary, define a RedisIdempotencyStore bean, or set idempotency.store to another store.");
		}
		return only;
	}

}
