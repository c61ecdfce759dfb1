package dev.idempotency.json;

import dev.idempotency.benchmarks.BodyBenchmark;
import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The digest of JSON in canonical form, compared with the cost of only reading it.
 */
public class CanonicalJsonBenchmark extends BodyBenchmark {

	private final JsonMapper mapper = JsonMapper.shared();

	/**
	 * The digest.
	 */
	@Benchmark
	public byte @Nullable [] digest() {
		return CanonicalJson.digest(this.body, this.body.length, Sha256.newDigest());
	}

	/**
	 * The floor: every token is read.
	 */
	@Benchmark
	public int readAlone() {
		int tokens = 0;
		try (JsonParser parser = this.mapper.createParser(this.body)) {
			while (parser.nextToken() != null) {
				tokens++;
			}
		}
		return tokens;
	}

	/**
	 * The obvious way to sort: read all of it first.
	 */
	@Benchmark
	public JsonNode readToTree() {
		return this.mapper.readTree(this.body);
	}

}
