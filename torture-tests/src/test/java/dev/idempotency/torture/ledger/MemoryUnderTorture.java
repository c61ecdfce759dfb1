package dev.idempotency.torture.ledger;

import java.util.List;
import java.util.Set;

/**
 * The store in memory: there is one process, and whoever kills it kills the store.
 */
final class MemoryUnderTorture implements TorturedStore {

	@Override
	public int sharedBy(int wanted) {
		return 1;
	}

	@Override
	public Set<Fault.Kind> faults() {
		return Set.of();
	}

	@Override
	public List<Integer> ports() {
		return List.of();
	}

	@Override
	public List<String> settings(List<Integer> ports) {
		return List.of("--idempotency.store=memory", "--spring.datasource.url=jdbc:h2:mem:unused");
	}

	@Override
	public Set<KeyOfCaller> completed(int place) {
		return Set.of();
	}

	@Override
	public void close() {
		// There is nothing
	}

}
