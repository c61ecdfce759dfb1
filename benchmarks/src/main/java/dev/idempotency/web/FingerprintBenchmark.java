package dev.idempotency.web;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

import dev.idempotency.Fingerprint;
import dev.idempotency.benchmarks.BodyBenchmark;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestFacts;
import dev.idempotency.http.RequestFingerprinter;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * The fingerprint of a request, compared with the digest that it needs at least.
 */
public class FingerprintBenchmark extends BodyBenchmark {

	private final RequestFingerprinter plain = RequestFingerprinter.bytes();

	private final RequestFingerprinter canonical = RequestFingerprinter.canonicalJson();

	private final RequestFacts request = (RequestFacts) Proxy.newProxyInstance(
			FingerprintBenchmark.class.getClassLoader(), new Class<?>[] { RequestFacts.class },
			FingerprintBenchmark::fact);

	/**
	 * The fingerprint of bytes.
	 */
	@Benchmark
	public Fingerprint ofBytes() throws IOException {
		return this.plain.fingerprint(this.request, new RequestContent.Body(this.body, this.body.length));
	}

	/**
	 * The fingerprint of canonical JSON, which is the default.
	 */
	@Benchmark
	public Fingerprint ofJson() throws IOException {
		return this.canonical.fingerprint(this.request, new RequestContent.Body(this.body, this.body.length));
	}

	/**
	 * The floor.
	 */
	@Benchmark
	public byte[] digestAlone() throws NoSuchAlgorithmException {
		return MessageDigest.getInstance("SHA-256").digest(this.body);
	}

	/**
	 * The parts of a request that go into a fingerprint.
	 */
	private static @Nullable Object fact(Object proxy, Method method, Object[] arguments) {
		return switch (method.getName()) {
			case "method" -> "POST";
			case "path" -> "/payments";
			case "query" -> "";
			case "header" -> "application/json";
			default -> throw new UnsupportedOperationException(method.getName());
		};
	}

}
