package dev.idempotency.benchmarks;

import java.util.Collection;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every benchmark runs; how fast is not for a test to say.
 */
@Tag("slow")
class BenchmarkSmokeTests {

	@Test
	void everyBenchmarkRuns() throws Exception {
		Collection<RunResult> results = new Runner(new OptionsBuilder().include("dev\\.idempotency\\..*")
			.param("keys", "1000")
			.param("size", "200")
			.forks(0)
			.warmupIterations(0)
			.measurementIterations(1)
			.measurementTime(TimeValue.milliseconds(20))
			.shouldFailOnError(true)
			.verbosity(VerboseMode.SILENT)
			.build()).run();
		assertThat(results).hasSize(49)
			.allSatisfy((result) -> assertThat(result.getPrimaryResult().getScore()).isPositive());
	}

}
