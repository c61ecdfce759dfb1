package dev.idempotency.core;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.Deflater;

import dev.idempotency.benchmarks.BodyBenchmark;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.StoredResult;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * The frame in which a result is stored: plain, compressed or encrypted.
 */
public class ResultPackingBenchmark extends BodyBenchmark {

	private static final IdempotencyKey KEY = IdempotencyKey.of("POST /payments", "done");

	/**
	 * How results are stored. The default is {@code compressed}, from 1 KB on.
	 */
	@Param({ "plain", "compressed", "encrypted" })
	public String packing = "plain";

	private ResultPacking subject = ResultPacking.none();

	private byte[] frame = {};

	/**
	 * Make the result.
	 */
	@Setup
	public void fill() {
		this.subject = switch (this.packing) {
			case "compressed" -> ResultPacking.none().withCompression(1024);
			case "encrypted" ->
				ResultPacking.none().withEncryption(Base64.getEncoder().encodeToString(new byte[32]), List.of());
			default -> ResultPacking.none();
		};
		this.frame = pack();
	}

	/**
	 * From the result of the edge to the bytes for the store.
	 */
	@Benchmark
	public byte[] pack() {
		return this.subject.pack(KEY, StoredResult.of(this.body)).toFrame();
	}

	/**
	 * From the bytes of the store to the result for the edge.
	 */
	@Benchmark
	public StoredResult unpack() {
		return this.subject.unpack(KEY, StoredResult.fromFrame(this.frame));
	}

	/**
	 * The floor of plain and encrypted results.
	 */
	@Benchmark
	public byte[] copyAlone() {
		return Arrays.copyOf(this.body, this.body.length);
	}

	/**
	 * The floor of compressed results.
	 */
	@Benchmark
	public int deflateAlone() {
		Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
		deflater.setInput(this.body);
		deflater.finish();
		int length = deflater.deflate(new byte[this.body.length]);
		deflater.end();
		return length;
	}

}
