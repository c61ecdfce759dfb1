package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.idempotency.fixtures.LongRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The torture finds what is wrong, and only that: something in the time that there is for
 * it as a rule, and everything in the long run.
 */
@Tag("slow")
class PlantedBugTests {

	private static final int ROUNDS = LongRun.choose(3, 20);

	@Test
	void findsMistakesOfAStore() {
		Set<PlantedBug> left = EnumSet.allOf(PlantedBug.class);
		long started = System.nanoTime();
		for (int round = 0; round < ROUNDS && !isEnough(left); round++) {
			TortureOptions options = optionsFor(left);
			Report report = Torture.run(options);
			System.out.println(report.line());
			for (PlantedBug bug : Set.copyOf(left)) {
				if (report.violations()
					.stream()
					.anyMatch((violation) -> violation.key().key().startsWith(bug.label()))) {
					System.out.printf("%s found after %d s%n", bug.label(),
							Duration.ofNanos(System.nanoTime() - started).toSeconds());
					left.remove(bug);
				}
			}
			assertThat(report.violations().stream().filter((violation) -> violation.key().key().startsWith("k")))
				.as(report.story())
				.isEmpty();
		}
		assertThat(isEnough(left)).as("not found: %s", left).isTrue();
	}

	/**
	 * What has to do with several places is left to the end. It takes longer, because
	 * most takeovers are explained.
	 */
	private static TortureOptions optionsFor(Set<PlantedBug> left) {
		List<PlantedBug> anywhere = left.stream().filter((bug) -> bug != PlantedBug.ONE_QUEUE).toList();
		return anywhere.isEmpty()
				? TortureOptions.of("redis-cluster", Duration.ofMinutes(1), System.nanoTime()).with(List.copyOf(left))
				: TortureOptions.of("redis", Duration.ofSeconds(8), System.nanoTime()).with(anywhere);
	}

	private static boolean isEnough(Set<PlantedBug> left) {
		return LongRun.isLong() ? left.isEmpty() : left.size() < PlantedBug.values().length;
	}

}
