package dev.idempotency.model;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import dev.idempotency.test.StoreUnderTest;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * What the model forbids, the code forbids: the diagrams of {@code docs/model.md}, step
 * by step, with engines on a real store. All steps can be taken but the last, which is
 * the one that takes a mistake.
 */
public interface CounterexampleContract extends StoreUnderTest {

	/**
	 * Those whose last step the engine can ask for, and the store refuses.
	 */
	Set<String> REFUSED = Set.of("UnfencedComplete breaks FencingHolds", "UnfencedRelease breaks OverlapOnlyAfterLease",
			"UnfencedRelease breaks CompletedKeyIsNotRunAgain", "UnfencedAbandon breaks OverlapOnlyAfterLease",
			"ClientClock breaks OverlapOnlyAfterLease");

	@TestFactory
	default Stream<DynamicTest> isNotFollowedToItsEnd() {
		List<Counterexample> examples = Counterexample.inTheGuide()
			.stream()
			.filter((example) -> REFUSED.contains(example.toString()))
			.toList();
		assertThat(examples).hasSameSizeAs(REFUSED);
		return examples.stream().map((example) -> dynamicTest(example.toString(), () -> enact(example.script())));
	}

	private void enact(Script script) {
		List<String> steps = script.steps();
		try (Enactment enactment = new Enactment(script, this)) {
			assertThat(steps.subList(0, steps.size() - 1)).allMatch(enactment::take);
			assertThat(enactment.take(steps.get(steps.size() - 1))).as(steps.get(steps.size() - 1)).isFalse();
		}
	}

}
