package dev.idempotency.client;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

import dev.idempotency.IdempotencyContext;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Adds an idempotency key to each unsafe call of a {@code RestClient} or
 * {@code RestTemplate}, and can retry calls. It belongs before all other interceptors:
 * one that retries outside of it would get a new key each time.
 * <p>
 * Inside a protected operation the key is the same in each attempt at the operation, also
 * after a crash and on another instance: it is made of the operation's key, the call's
 * method, URI and body, and a number that tells equal calls apart in the order in which
 * they are made. A call that failed gives its number back, so that an equal one after it
 * counts as its retry. Equal calls that are made at the same time have no defined order,
 * which does not matter, since they are equal. Outside of operations the key is random,
 * and the same in each retry that this interceptor makes.
 * <p>
 * A call that has a key already keeps it.
 */
public final class IdempotencyKeyClientInterceptor implements ClientHttpRequestInterceptor {

	private final KeyHeaders headers;

	private final @Nullable ClientRetry retry;

	/**
	 * Create an interceptor that adds keys, and does not retry.
	 */
	public IdempotencyKeyClientInterceptor() {
		this(KeyHeaders.standard(), null);
	}

	private IdempotencyKeyClientInterceptor(KeyHeaders headers, @Nullable ClientRetry retry) {
		this.headers = headers;
		this.retry = retry;
	}

	/**
	 * An interceptor that adds keys, and retries calls.
	 * @return the interceptor, with {@link ClientRetry#defaults()}
	 */
	public static IdempotencyKeyClientInterceptor retrying() {
		return retrying(ClientRetry.defaults());
	}

	/**
	 * An interceptor that adds keys, and retries calls: unsafe ones, since they have
	 * keys, and safe ones. The first megabyte of the response to an unsafe call is read
	 * ahead. If the response breaks off there, the call is retried. If no attempt is
	 * left, the caller gets the last response, whatever its status.
	 * @param retry how often, how soon and after what
	 * @return the interceptor
	 */
	public static IdempotencyKeyClientInterceptor retrying(ClientRetry retry) {
		return new IdempotencyKeyClientInterceptor(KeyHeaders.standard(), retry);
	}

	/**
	 * A copy with other headers.
	 * @param headers which header carries the key, for each host
	 * @return the interceptor
	 */
	public IdempotencyKeyClientInterceptor withHeaders(KeyHeaders headers) {
		return new IdempotencyKeyClientInterceptor(headers, this.retry);
	}

	/**
	 * A copy with another header for a host.
	 * @param host the name of the host
	 * @param header the name of the header
	 * @return the interceptor
	 */
	public IdempotencyKeyClientInterceptor withHeader(String host, String header) {
		return withHeaders(this.headers.with(host, header));
	}

	@Override
	public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
			throws IOException {
		if (CallKey.isSafe(request.getMethod())) {
			return send(() -> execution.execute(request, body));
		}
		String header = this.headers.forUri(request.getURI());
		if (request.getHeaders().containsHeader(header)) {
			return send(() -> readAhead(execution.execute(request, body)));
		}
		CallKey key = key(request, body);
		request.getHeaders().set(header, key.value());
		boolean answered = false;
		try {
			ClientHttpResponse response = send(() -> readAhead(execution.execute(request, body)));
			key.answered(response.getStatusCode());
			answered = true;
			return new WatchedResponse(response, key);
		}
		finally {
			if (!answered) {
				key.failed();
			}
		}
	}

	private static CallKey key(HttpRequest request, byte[] body) {
		IdempotencyContext operation = IdempotencyContext.find().orElse(null);
		return (operation != null) ? CallKey.of(operation, request.getMethod(), request.getURI(),
				request.getHeaders().getContentType(), body) : CallKey.random();
	}

	private ClientHttpResponse readAhead(ClientHttpResponse response) throws IOException {
		return (this.retry != null) ? ReadAheadResponse.of(response) : response;
	}

	private ClientHttpResponse send(RetriedCall.Call call) throws IOException {
		return (this.retry != null) ? new RetriedCall(this.retry, ThreadLocalRandom.current()).execute(call)
				: call.make();
	}

}
