package dev.idempotency.benchmarks;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Base of benchmarks with bodies of several sizes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public abstract class BodyBenchmark {

	/**
	 * The bytes of the body.
	 */
	@Param({ "200", "10240", "1048576" })
	public int size;

	/**
	 * The body, in JSON.
	 */
	protected byte[] body = {};

	/**
	 * Creates the body, before the setup of subclasses.
	 */
	@Setup
	public void makeBody() {
		this.body = Payloads.json(this.size);
	}

}
