package dev.idempotency.web;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.TimeUnit;

import dev.idempotency.Fingerprint;
import dev.idempotency.benchmarks.Payloads;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
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
 * The fingerprint of a request, and the digest alone that it cannot do without.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class FingerprintBenchmark {

	/**
	 * The bytes of the body.
	 */
	@Param({ "200", "10240", "1048576" })
	public int size;

	private final Sha256Fingerprinter plain = new Sha256Fingerprinter(false);

	private final Sha256Fingerprinter canonical = new Sha256Fingerprinter(true);

	private final HttpServletRequest request = new JsonRequest();

	private byte[] body = {};

	/**
	 * Create the benchmark.
	 */
	public FingerprintBenchmark() {
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
	 * The bytes count.
	 * @return the fingerprint
	 * @throws IOException never
	 */
	@Benchmark
	public Fingerprint ofBytes() throws IOException {
		return this.plain.fingerprint(this.request, new RequestContent.Body(this.body, this.body.length));
	}

	/**
	 * What the JSON says counts, which is the default.
	 * @return the fingerprint
	 * @throws IOException never
	 */
	@Benchmark
	public Fingerprint ofJson() throws IOException {
		return this.canonical.fingerprint(this.request, new RequestContent.Body(this.body, this.body.length));
	}

	/**
	 * The floor.
	 * @return the digest
	 * @throws NoSuchAlgorithmException never
	 */
	@Benchmark
	public byte[] digestAlone() throws NoSuchAlgorithmException {
		return MessageDigest.getInstance("SHA-256").digest(this.body);
	}

	/**
	 * As much of a request as goes into a fingerprint.
	 */
	private static final class JsonRequest extends HttpServletRequestWrapper {

		private JsonRequest() {
			super((HttpServletRequest) Proxy.newProxyInstance(JsonRequest.class.getClassLoader(),
					new Class<?>[] { HttpServletRequest.class }, (proxy, method, arguments) -> {
						throw new UnsupportedOperationException(method.getName());
					}));
		}

		@Override
		public String getMethod() {
			return "POST";
		}

		@Override
		public String getRequestURI() {
			return "/payments";
		}

		@Override
		public String getQueryString() {
			return "";
		}

		@Override
		public String getContentType() {
			return "application/json";
		}

	}

}
