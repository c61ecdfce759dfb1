package dev.idempotency.web;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

import dev.idempotency.Fingerprint;
import dev.idempotency.benchmarks.BodyBenchmark;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * The fingerprint of a request, compared with the digest that it needs at least.
 */
public class FingerprintBenchmark extends BodyBenchmark {

	private final Sha256Fingerprinter plain = new Sha256Fingerprinter(false);

	private final Sha256Fingerprinter canonical = new Sha256Fingerprinter(true);

	private final HttpServletRequest request = new JsonRequest();

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
