package dev.idempotency.web;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.idempotency.benchmarks.Payloads;
import dev.idempotency.http.HttpAnswer;
import org.openjdk.jmh.annotations.Benchmark;
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
 * An answer written down, and read again.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class HttpAnswerBenchmark {

	/**
	 * The bytes of the body.
	 */
	@Param({ "200", "10240", "1048576" })
	public int size;

	private final Map<String, List<String>> headers = new LinkedHashMap<>();

	private byte[] body = {};

	private byte[] encoded = {};

	/**
	 * Create the benchmark.
	 */
	public HttpAnswerBenchmark() {
		// For JMH
	}

	/**
	 * Make the answer.
	 */
	@Setup
	public void fill() {
		this.body = Payloads.json(this.size);
		this.headers.put("Content-Type", List.of("application/json"));
		this.headers.put("Location", List.of("/payments/4711"));
		this.encoded = encode();
	}

	/**
	 * For the store.
	 * @return the bytes
	 */
	@Benchmark
	public byte[] encode() {
		return new HttpAnswer(201, HttpAnswer.Delivery.WHOLE, this.headers, ByteBuffer.wrap(this.body)).encode();
	}

	/**
	 * For a replay.
	 * @return the body, a view
	 */
	@Benchmark
	public ByteBuffer decode() {
		return HttpAnswer.decode(ByteBuffer.wrap(this.encoded)).body();
	}

	/**
	 * The floor of writing it down.
	 * @return the copy
	 */
	@Benchmark
	public byte[] copyAlone() {
		return Arrays.copyOf(this.body, this.body.length);
	}

}
