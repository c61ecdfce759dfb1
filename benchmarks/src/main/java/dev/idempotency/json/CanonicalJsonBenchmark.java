package dev.idempotency.json;

import java.util.concurrent.TimeUnit;

import dev.idempotency.benchmarks.Payloads;
import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;
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
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The digest of JSON in canonical form, and what merely reading it costs.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class CanonicalJsonBenchmark {

	/**
	 * The bytes of the body.
	 */
	@Param({ "200", "10240", "1048576" })
	public int size;

	private final JsonMapper mapper = JsonMapper.shared();

	private byte[] json = {};

	/**
	 * Create the benchmark.
	 */
	public CanonicalJsonBenchmark() {
		// For JMH
	}

	/**
	 * Make the text.
	 */
	@Setup
	public void fill() {
		this.json = Payloads.json(this.size);
	}

	/**
	 * The digest.
	 * @return the digest
	 */
	@Benchmark
	public byte @Nullable [] digest() {
		return CanonicalJson.digest(this.json, this.json.length, Sha256.newDigest());
	}

	/**
	 * The floor: every token is looked at, and forgotten.
	 * @return how many tokens there are
	 */
	@Benchmark
	public int readAlone() {
		int tokens = 0;
		try (JsonParser parser = this.mapper.createParser(this.json)) {
			while (parser.nextToken() != null) {
				tokens++;
			}
		}
		return tokens;
	}

	/**
	 * What one would do who has to sort: read all of it first.
	 * @return the tree
	 */
	@Benchmark
	public JsonNode readToTree() {
		return this.mapper.readTree(this.json);
	}

}
