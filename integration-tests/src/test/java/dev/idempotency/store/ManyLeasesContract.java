package dev.idempotency.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.servers.TcpProxy;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many long executions at once, on a store that is ten milliseconds away. Asked one by
 * one, it could not renew their leases in time.
 */
@Tag("slow")
public abstract class ManyLeasesContract {

	private static final int LEASES = LongRun.choose(1000, 20_000);

	private static final Duration LEASE = Duration.ofSeconds(LongRun.choose(6, 30));

	/**
	 * A way to a server on which each block takes half of a round trip.
	 */
	protected static TcpProxy tenMillisecondsFrom(int port) {
		return new TcpProxy(port, () -> (answer, bytes) -> {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
			return bytes;
		});
	}

	protected abstract IdempotencyStore store();

	@Test
	void areRenewedInTime() {
		OperationPolicy policy = OperationPolicy.of(Duration.ofHours(1), LEASE);
		MonotonicClock clock = new MonotonicClock();
		try (IdempotencyEngine engine = new IdempotencyEngine(store(), EngineSettings.of("shop"), clock, List.of())) {
			List<IdempotencyKey> keys = IntStream.range(0, LEASES)
				.mapToObj((i) -> IdempotencyKey.of("many", "key " + i))
				.toList();
			ConcurrentLinkedQueue<IdempotencyKey> next = new ConcurrentLinkedQueue<>(keys);
			ConcurrentLinkedQueue<Execution> executions = new ConcurrentLinkedQueue<>();
			Race.run(64, () -> {
				for (IdempotencyKey key = next.poll(); key != null; key = next.poll()) {
					Attempt attempt = new Attempt(key, Fingerprint.none(), policy);
					executions.add(((Decision.Proceed) engine.begin(attempt)).execution());
				}
				return true;
			});
			long end = clock.millis() + 3 * LEASE.toMillis() / 2;
			for (int i = 0; clock.millis() < end; i = (i + 1) % LEASES) {
				assertThat(engine.begin(new Attempt(keys.get(i), Fingerprint.none(), policy)).reason()).isNotNull();
				assertThat(engine.lateLeases()).isEmpty();
			}
			assertThat(engine.executionsInProgress()).as("none was lost").isEqualTo(LEASES);
			executions.forEach(Execution::letLeaseRunOut);
		}
	}

}
