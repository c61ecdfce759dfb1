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
	 * How results are kept. The default is {@code compressed}, from 1 KB on.
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
	 * From what the edge wrote to what the store sends.
	 */
	@Benchmark
	public byte[] pack() {
		return this.subject.pack(KEY, StoredResult.of(this.body)).toFrame();
	}

	/**
	 * From what the store got to what the edge reads.
	 */
	@Benchmark
	public StoredResult unpack() {
		return this.subject.unpack(KEY, StoredResult.fromFrame(this.frame));
	}

	/**
	 * The floor of what is plain or encrypted.
	 */
	@Benchmark
	public byte[] copyAlone() {
		return Arrays.copyOf(this.body, this.body.length);
	}

	/**
	 * The floor of what is compressed.
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
