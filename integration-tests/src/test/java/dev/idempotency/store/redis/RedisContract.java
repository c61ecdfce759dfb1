package dev.idempotency.store.redis;

import dev.idempotency.model.CounterexampleContract;
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
		implements SearchableStoreContract, NotifyingStoreContract, BatchRenewingStoreContract, CounterexampleContract {

	private final F connectionFactory;

	private final RedisIdempotencyStore store;

	RedisContract(F connectionFactory) {
		this.connectionFactory = connectionFactory;
		this.store = new RedisIdempotencyStore(connectionFactory,
				"idempotency-%s:".formatted(getClass().getSimpleName()), 0);
	}

	@Override
	public IdempotencyStore store() {
		return this.store;
	}

	@Override
	public StoreTime time() {
		return StoreTime.real();
	}

	@AfterAll
	void close() throws Exception {
		this.store.close();
		this.connectionFactory.destroy();
	}

}
