package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;

import dev.idempotency.benchmarks.BodyBenchmark;
import dev.idempotency.http.AnswerBody;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * The body of a response while it is held back, compared with the JDK for the same
 * writes.
 */
public class RecordedBytesBenchmark extends BodyBenchmark {

	private static final int PIECE = 8000;

	/**
	 * All at once.
	 */
	@Benchmark
	public AnswerBody whole() {
		RecordedBytes recorded = new RecordedBytes();
		recorded.add(this.body, 0, this.body.length);
		return recorded.toBody();
	}

	/**
	 * In pieces, as Jackson writes it.
	 */
	@Benchmark
	public AnswerBody inPieces() throws IOException {
		RecordedBytes recorded = new RecordedBytes();
		writePieces(recorded::add);
		return recorded.toBody();
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
		writePieces(stream::write);
		return stream;
	}

	private void writePieces(RecordedBytes.Target target) throws IOException {
		for (int i = 0; i < this.body.length; i += PIECE) {
			target.write(this.body, i, Math.min(PIECE, this.body.length - i));
		}
	}

}
