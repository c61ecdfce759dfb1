package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.fixtures.LongRun;
import dev.idempotency.model.ProtocolModel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short form of {@link TortureRun}, on a store that commits with the ledger, where that
 * is hardest, and one that does not; all of it in the long run; and what the settings of
 * that ask for, if there are any.
 */
@Tag("slow")
class TortureTests {

	/**
	 * A step of the model costs more than the one before it.
	 */
	private static final int MOST_EVENTS = 8;

	private static final int MOST_TRACES = 5;

	static Stream<TortureOptions> runs() {
		List<String> few = List.of("redis-cluster", "postgres-starved");
		return TortureRun.wanted(LongRun.isLong() ? TortureRun.STORES : few, LongRun.choose(12, 30 * 60)).stream();
	}

	@ParameterizedTest
	@MethodSource("runs")
	void keepsEveryPromise(TortureOptions options) {
		Report report = TortureRun.run(options);
		assertThat(report.violations()).as(report.story()).isEmpty();
		if (!options.transactional()) {
			followTheModel(report.traces(), options.lease());
		}
	}

	/**
	 * Some of those to which most happened.
	 */
	private static void followTheModel(List<Trace> traces, Duration lease) {
		List<Trace> some = traces.stream()
			.filter((trace) -> trace.hasTakeover() && trace.events().size() <= MOST_EVENTS)
			.sorted(Comparator.comparingInt((Trace trace) -> trace.events().size()).reversed())
			.limit(MOST_TRACES)
			.toList();
		System.out.printf("%d traces, of which %d are followed in the model%n", traces.size(), some.size());
		assertThat(some).allMatch((trace) -> ProtocolModel.load().follow(trace.script(lease), "always safe").found());
	}

}
