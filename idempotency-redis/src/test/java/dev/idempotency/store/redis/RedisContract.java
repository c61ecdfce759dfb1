package dev.idempotency.store.redis;

import java.util.List;
import java.util.function.Supplier;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.BatchRenewingStoreContract;
import dev.idempotency.test.IdempotencyStoreContract;
import dev.idempotency.test.SearchableStoreContract;
import dev.idempotency.test.NotifyingStoreContract;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What the store promises, whatever the driver and however the servers are arranged.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RedisContract<F extends RedisConnectionFactory & DisposableBean> extends IdempotencyStoreContract
		implements SearchableStoreContract, NotifyingStoreContract, BatchRenewingStoreContract {

	private final List<F> connectionFactories;

	private final List<RedisIdempotencyStore> instances;

	RedisContract(Supplier<F> connectionFactory) {
		String prefix = "idempotency-%s:".formatted(getClass().getSimpleName());
		this.connectionFactories = List.of(connectionFactory.get(), connectionFactory.get());
		this.instances = this.connectionFactories.stream()
			.map((factory) -> new RedisIdempotencyStore(factory, prefix, 0))
			.toList();
	}

	F connectionFactory() {
		return this.connectionFactories.get(0);
	}

	@Override
	public IdempotencyStore store() {
		return this.instances.get(0);
	}

	@Override
	public IdempotencyStore otherInstance() {
		return this.instances.get(1);
	}

	@Override
	public StoreTime time() {
		return StoreTime.real();
	}

	@AfterAll
	void close() throws Exception {
		this.instances.forEach(RedisIdempotencyStore::close);
		for (F connectionFactory : this.connectionFactories) {
			connectionFactory.destroy();
		}
	}

}
