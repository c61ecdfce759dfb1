package dev.idempotency.benchmarks.load;

import java.util.List;

import dev.idempotency.benchmarks.load.Comparison.Effort;
import dev.idempotency.benchmarks.load.Workload.Kind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many bytes more a request makes the application allocate than without the library.
 * <p>
 * The applications are compiled by the simpler compiler only. It leaves no allocation
 * out, so that figures are the same from the first thousand requests on; the other one
 * makes less of them, and when it does, no test could wait for.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AllocationTests {

	private static final Effort EFFORT = new Effort(3, 1_500, 2_000);

	private final Bench bench = new Bench("", List.of("-XX:TieredStopAtLevel=1"));

	private Subject without;

	private Subject memory;

	@BeforeAll
	void start() {
		this.without = this.bench.without();
		this.memory = this.bench.onMemory();
	}

	@AfterAll
	void stop() {
		this.bench.close();
	}

	@Test
	void aHandlerThatIsNotProtectedAllocatesNextToNothing() {
		assertThat(moreBytes(Workload.plain())).isBetween(-200.0, 200.0);
	}

	@Test
	void aFirstRequestAllocatesFewThousandBytesMore() {
		assertThat(moreBytes(Workload.of(Kind.FIRST))).isBetween(1000.0, 4500.0);
	}

	@Test
	void aReplayAllocatesLessThanTheHandler() {
		assertThat(moreBytes(Workload.of(Kind.REPLAY))).isNegative();
	}

	/**
	 * The request, the answer, and what a small one takes.
	 */
	@Test
	void aLargerRequestIsCopiedOnceAndSoIsItsAnswer() {
		assertThat(moreBytes(Workload.of(Kind.FIRST).withNote(10_000))).isBetween(20_000.0, 27_000.0);
		assertThat(moreBytes(Workload.of(Kind.FIRST).withNote(1_000_000).withConnections(2), new Effort(3, 40, 40)))
			.isBetween(2_000_000.0, 2_200_000.0);
	}

	@Test
	void aRequestOnWebFluxAllocatesMoreAndItsReplayLessThanTheHandler() {
		Subject plain = this.bench.without(Parts.WEBFLUX);
		Subject onWebFlux = this.bench.onMemory(Parts.WEBFLUX);
		assertThat(Comparison.of(plain, Workload.of(Kind.FIRST), onWebFlux, Workload.of(Kind.FIRST), EFFORT)
			.moreBytes()
			.median()).isBetween(5000.0, 19_500.0);
		assertThat(Comparison.of(plain, Workload.of(Kind.REPLAY), onWebFlux, Workload.of(Kind.REPLAY), EFFORT)
			.moreBytes()
			.median()).isNegative();
	}

	private double moreBytes(Workload load) {
		return moreBytes(load, EFFORT);
	}

	private double moreBytes(Workload load, Effort effort) {
		return Comparison.of(this.without, load, this.memory, load, effort).moreBytes().median();
	}

}
