package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

import dev.idempotency.benchmarks.BodyBenchmark;
import dev.idempotency.http.AnswerBody;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * The body of a response while it is held back, compared with the JDK for the same
 * writes.
 */
public class RecordedBodyBenchmark extends BodyBenchmark {

	private static final int PIECE = 8000;

	private static final int LIMIT = 4 << 20;

	private final RecordedBody.Channel channel = new Closed();

	/**
	 * All at once.
	 */
	@Benchmark
	public AnswerBody whole() throws IOException {
		RecordedBody recorded = new RecordedBody(this.channel, LIMIT);
		recorded.write(this.body, 0, this.body.length);
		return recorded.bytes();
	}

	/**
	 * In pieces, as Jackson writes it.
	 */
	@Benchmark
	public AnswerBody inPieces() throws IOException {
		RecordedBody recorded = new RecordedBody(this.channel, LIMIT);
		writePieces(recorded);
		return recorded.bytes();
	}

	/**
	 * The floor of the first.
	 */
	@Benchmark
	public byte[] wholeAlone() {
		return Arrays.copyOf(this.body, this.body.length);
	}

	/**
	 * The floor of the second.
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
	 * Lets nothing through before the response is stored.
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
			throw new IllegalStateException("Nothing is streamed here");
		}

		@Override
		public void write(byte[] source, int offset, int length) {
			throw new IllegalStateException("Nothing is streamed here");
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
