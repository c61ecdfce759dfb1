package dev.idempotency.core;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;

import dev.idempotency.benchmarks.Payloads;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.StoredResult;
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
 * The frame in which a result is stored: plain, compressed or encrypted.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class ResultPackingBenchmark {

	private static final IdempotencyKey KEY = IdempotencyKey.of("POST /payments", "done");

	/**
	 * The bytes of the body.
	 */
	@Param({ "200", "10240", "1048576" })
	public int size;

	/**
	 * How results are kept. The default is {@code compressed}, from 1 KB on.
	 */
	@Param({ "plain", "compressed", "encrypted" })
	public String packing = "plain";

	private ResultPacking subject = ResultPacking.none();

	private byte[] payload = {};

	private byte[] frame = {};

	/**
	 * Create the benchmark.
	 */
	public ResultPackingBenchmark() {
		// For JMH
	}

	/**
	 * Make the result.
	 */
	@Setup
	public void fill() {
		this.payload = Payloads.json(this.size);
		this.subject = switch (this.packing) {
			case "compressed" -> ResultPacking.none().withCompression(1024);
			case "encrypted" ->
				ResultPacking.none().withEncryption(Base64.getEncoder().encodeToString(new byte[32]), List.of());
			default -> ResultPacking.none();
		};
		this.frame = pack();
	}

	/**
	 * From what the edge wrote to what the store sends.
	 * @return the frame
	 */
	@Benchmark
	public byte[] pack() {
		return this.subject.pack(KEY, this.payload).toFrame();
	}

	/**
	 * From what the store got to what the edge reads.
	 * @return the result
	 */
	@Benchmark
	public StoredResult unpack() {
		return this.subject.unpack(KEY, StoredResult.fromFrame(this.frame));
	}

	/**
	 * The floor of what is plain or encrypted.
	 * @return the copy
	 */
	@Benchmark
	public byte[] copyAlone() {
		return Arrays.copyOf(this.payload, this.payload.length);
	}

	/**
	 * The floor of what is compressed.
	 * @return how many bytes are left
	 */
	@Benchmark
	public int deflateAlone() {
		Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
		deflater.setInput(this.payload);
		deflater.finish();
		int length = deflater.deflate(new byte[this.payload.length]);
		deflater.end();
		return length;
	}

}
