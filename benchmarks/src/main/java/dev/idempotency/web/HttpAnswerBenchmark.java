package dev.idempotency.web;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.benchmarks.BodyBenchmark;
import dev.idempotency.http.AnswerBody;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.store.StoredResult;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;

/**
 * Serialization of an {@code HttpAnswer}.
 */
public class HttpAnswerBenchmark extends BodyBenchmark {

	private final Map<String, List<String>> headers = new LinkedHashMap<>();

	private StoredResult encoded = StoredResult.tombstone();

	/**
	 * Creates the response.
	 */
	@Setup
	public void fill() {
		this.headers.put("Content-Type", List.of("application/json"));
		this.headers.put("Location", List.of("/payments/4711"));
		this.encoded = StoredResult.fromFrame(encode().toFrame());
	}

	/**
	 * For the store.
	 */
	@Benchmark
	public StoredResult encode() {
		return new HttpAnswer(201, HttpAnswer.Delivery.WHOLE, this.headers, AnswerBody.of(this.body)).encode();
	}

	/**
	 * For a replay.
	 */
	@Benchmark
	public AnswerBody decode() {
		return HttpAnswer.decode(this.encoded).body();
	}

	/**
	 * The floor of the serialization of a short one.
	 */
	@Benchmark
	public byte[] copyAlone() {
		return Arrays.copyOf(this.body, this.body.length);
	}

}
