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
	public int port() {
		return 0;
	}

	@Override
	public List<String> settings(int port) {
		return List.of("--idempotency.store=memory", "--spring.datasource.url=jdbc:h2:mem:unused");
	}

	@Override
	public void restart() {
		throw new UnsupportedOperationException();
	}

	@Override
	public void failOver() {
		throw new UnsupportedOperationException();
	}

	@Override
	public void recover() {
		throw new UnsupportedOperationException();
	}

	@Override
	public Set<KeyOfCaller> completed() {
		return Set.of();
	}

	@Override
	public void close() {
		// There is nothing
	}

}
