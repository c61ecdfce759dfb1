package dev.idempotency.web;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import dev.idempotency.web.ProtectedRun.Phase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every arrow that is drawn in {@link Phase}, and no other.
 */
class PhaseTests {

	private static final Map<Phase, Set<Phase>> ARROWS = Map.of(Phase.RUNNING,
			Set.of(Phase.AWAITING_ERROR, Phase.SETTLED), Phase.AWAITING_ERROR, Set.of(Phase.SETTLED), Phase.SETTLED,
			Set.of(Phase.OVER), Phase.OVER, Set.of());

	@ParameterizedTest
	@EnumSource
	void leadsWhereAnArrowDoes(Phase phase) {
		Set<Phase> reached = EnumSet.noneOf(Phase.class);
		for (Phase next : Phase.values()) {
			if (phase.leadsTo(next)) {
				reached.add(next);
			}
		}
		assertThat(reached).isEqualTo(ARROWS.get(phase));
	}

}
