package dev.idempotency.store.jdbc;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.junit.jupiter.api.Tag;

/**
 * A store with faults around it, none of which happen, keeps the contract of all that it
 * can do: it joins transactions, too.
 */
@Tag("slow")
class FaultInjectingStoreContractTests extends JdbcStoreContract {

	@Override
	String url() {
		return "jdbc:h2:mem:fault-injecting;DB_CLOSE_DELAY=-1";
	}

	@Override
	public IdempotencyStore store() {
		return FaultInjectingStore.around(super.store(), (verb) -> Fault.NONE);
	}

	@Override
	public IdempotencyStore otherInstance() {
		return FaultInjectingStore.around(super.otherInstance(), (verb) -> Fault.NONE);
	}

}
