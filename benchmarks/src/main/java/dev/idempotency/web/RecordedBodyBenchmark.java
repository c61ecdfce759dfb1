package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import dev.idempotency.benchmarks.Payloads;
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
 * The body of an answer while it is held, and what the JDK does with the same writes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class RecordedBodyBenchmark {

	/**
	 * The bytes of the body.
	 */
	@Param({ "200", "10240", "1048576" })
	public int size;

	private static final int PIECE = 8000;

	private static final int LIMIT = 4 << 20;

	private final RecordedBody.Channel channel = new Closed();

	private byte[] body = {};

	/**
	 * Create the benchmark.
	 */
	public RecordedBodyBenchmark() {
		// For JMH
	}

	/**
	 * Make the body.
	 */
	@Setup
	public void fill() {
		this.body = Payloads.json(this.size);
	}

	/**
	 * All at once.
	 * @return the body
	 * @throws IOException never
	 */
	@Benchmark
	public byte[] whole() throws IOException {
		RecordedBody recorded = new RecordedBody(this.channel, LIMIT);
		recorded.write(this.body, 0, this.body.length);
		return recorded.bytes();
	}

	/**
	 * In pieces, as Jackson writes it.
	 * @return the body
	 * @throws IOException never
	 */
	@Benchmark
	public byte[] inPieces() throws IOException {
		RecordedBody recorded = new RecordedBody(this.channel, LIMIT);
		writePieces(recorded);
		return recorded.bytes();
	}

	/**
	 * The floor of the first.
	 * @return the body
	 */
	@Benchmark
	public byte[] wholeAlone() {
		return Arrays.copyOf(this.body, this.body.length);
	}

	/**
	 * The floor of the second.
	 * @return the body, without the copy that {@code toByteArray} would add
	 * @throws IOException never
	 */
	@Benchmark
	public ByteArrayOutputStream inPiecesAlone() throws IOException {
		ByteArrayOutputStream stream = new ByteArrayOutputStream();
		writePieces(stream);
		return stream;
	}

	private void writePieces(OutputStream target) throws IOException {
		for (int i = 0; i < this.body.length; i += PIECE) {
			target.write(this.body, i, Math.min(PIECE, this.body.length - i));
		}
	}

	/**
	 * Lets nothing through before the answer is stored.
	 */
	private static final class Closed implements RecordedBody.Channel {

		@Override
		public boolean mayFlow() {
			return false;
		}

		@Override
		public boolean mayFlowUnasked() {
			return false;
		}

		@Override
		public boolean isEndless() {
			return false;
		}

		@Override
		public void open(long declaredLength) {
			throw new IllegalStateException("Nothing flows here");
		}

		@Override
		public void write(byte[] source, int offset, int length) {
			throw new IllegalStateException("Nothing flows here");
		}

		@Override
		public void flush() {
		}

		@Override
		public void close() {
		}

		@Override
		public void clientLost() {
		}

	}

}
