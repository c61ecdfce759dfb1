package dev.idempotency.torture.ledger;

import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.fixtures.LongRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short form of {@link TortureRun}, on a store that commits with the ledger, where that
 * is hardest, and one that does not; all of it in the long run; and what the settings of
 * that ask for, if there are any.
 */
@Tag("once")
@Tag("slow")
class TortureTests {

	static Stream<TortureOptions> runs() {
		List<String> few = List.of("redis", "postgres-starved");
		return TortureRun.wanted(LongRun.isLong() ? TortureRun.STORES : few, LongRun.choose(12, 30 * 60)).stream();
	}

	@ParameterizedTest
	@MethodSource("runs")
	void keepsEveryPromise(TortureOptions options) {
		Report report = TortureRun.run(options);
		assertThat(report.violations()).as(report.story()).isEmpty();
	}

}
