package dev.idempotency.web;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.benchmarks.BodyBenchmark;
import dev.idempotency.http.HttpAnswer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/**
 * An answer written down, and read again.
 */
public class HttpAnswerBenchmark extends BodyBenchmark {

	private final Map<String, List<String>> headers = new LinkedHashMap<>();

	private byte[] encoded = {};

	/**
	 * Make the answer.
	 */
	@Setup
	public void fill() {
		this.headers.put("Content-Type", List.of("application/json"));
		this.headers.put("Location", List.of("/payments/4711"));
		this.encoded = encode();
	}

	/**
	 * For the store.
	 */
	@Benchmark
	public byte[] encode() {
		return new HttpAnswer(201, HttpAnswer.Delivery.WHOLE, this.headers, ByteBuffer.wrap(this.body)).encode();
	}

	/**
	 * For a replay.
	 */
	@Benchmark
	public ByteBuffer decode() {
		return HttpAnswer.decode(ByteBuffer.wrap(this.encoded)).body();
	}

	/**
	 * The floor of writing it down.
	 */
	@Benchmark
	public byte[] copyAlone() {
		return Arrays.copyOf(this.body, this.body.length);
	}

}
