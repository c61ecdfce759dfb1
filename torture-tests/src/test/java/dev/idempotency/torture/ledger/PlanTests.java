package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PlanTests {

	private static final Set<Fault.Kind> ALL = EnumSet.allOf(Fault.Kind.class);

	private static Plan plan(long seed) {
		return new Plan(seed, Duration.ofSeconds(2), 1);
	}

	@Test
	void isTheSameForTheSameSeed() {
		assertThat(plan(1).faultsOfStore(ALL, 3, 2)).isEqualTo(plan(1).faultsOfStore(ALL, 3, 2))
			.isNotEqualTo(plan(2).faultsOfStore(ALL, 3, 2));
		assertThat(plan(1).faultsOfProcesses(3)).isEqualTo(plan(1).faultsOfProcesses(3))
			.isNotEqualTo(plan(2).faultsOfProcesses(3));
		assertThat(plan(1).clocks(3)).isEqualTo(plan(1).clocks(3)).isNotEqualTo(plan(2).clocks(3));
		assertThat(plan(1).randomFor("client", 1).nextLong()).isEqualTo(plan(1).randomFor("client", 1).nextLong())
			.isNotEqualTo(plan(1).randomFor("client", 2).nextLong());
	}

	@Test
	void hasEachFaultOnceBeforeAnyComesAgain() {
		assertThat(plan(1).faultsOfStore(ALL, 3, 2).subList(0, 6)).extracting(Fault::kind)
			.containsExactlyInAnyOrder(Fault.Kind.RESTART_STORE, Fault.Kind.PAUSE_STORE, Fault.Kind.FAIL_OVER,
					Fault.Kind.CUT_STORE, Fault.Kind.STALL_STORE, Fault.Kind.SLOW_STORE);
		assertThat(plan(1).faultsOfProcesses(3).subList(0, 2)).extracting(Fault::kind)
			.containsExactlyInAnyOrder(Fault.Kind.KILL, Fault.Kind.PAUSE);
	}

	@Test
	void setsClocksApartByMinutes() {
		assertThat(plan(1).clocks(4))
			.allSatisfy((clock) -> assertThat(clock.abs()).isGreaterThanOrEqualTo(Duration.ofMinutes(1)))
			.anySatisfy((clock) -> assertThat(clock).isNegative())
			.anySatisfy((clock) -> assertThat(clock).isPositive());
	}

}
