package dev.idempotency.torture.ledger;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.idempotency.servers.PostgresServer;

/**
 * A PostgreSQL for each of two {@linkplain Tenants tenants}. What was committed is on
 * disk.
 */
final class PostgresTenantsUnderTorture implements TorturedStore {

	private final List<PostgresServer> servers = Stream
		.generate(() -> PostgresServer.start(Map.of("synchronous_commit", "on")))
		.limit(2)
		.toList();

	PostgresTenantsUnderTorture() {
		this.servers.forEach(PostgresUnderTorture::createTables);
	}

	@Override
	public Set<Fault.Kind> faults() {
		return Set.of(Fault.Kind.RESTART_STORE, Fault.Kind.CUT_STORE, Fault.Kind.STALL_STORE, Fault.Kind.SLOW_STORE);
	}

	@Override
	public List<Integer> ports() {
		return this.servers.stream().map(PostgresServer::port).toList();
	}

	@Override
	public List<String> settings(List<Integer> ports) {
		return PostgresUnderTorture.settings(ports.stream()
			.map(PostgresUnderTorture::url)
			.collect(Collectors.joining(",", "--" + Tenants.SETTING + "=", "")));
	}

	@Override
	public void restart(int place) {
		this.servers.get(place).kill();
		this.servers.get(place).startAgain();
	}

	@Override
	public Set<KeyOfCaller> completed(int place) {
		return PostgresUnderTorture.completedIn(this.servers.get(place));
	}

	@Override
	public void close() {
		this.servers.forEach(PostgresServer::discard);
	}

}
