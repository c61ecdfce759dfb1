package dev.idempotency.client;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Adds an idempotency key to each unsafe call of a {@code RestClient} or
 * {@code RestTemplate}, and can retry calls. It belongs before all other interceptors.
 * <p>
 * Inside a protected operation the key is the same in each attempt at the operation, also
 * after a crash and on another instance: it is made of the operation's key, the call's
 * method, URI and body, and a number that tells equal calls apart in the order in which
 * they are made. A call that failed gives its number back, so that an equal one after it
 * counts as its retry. It has failed if it got an error or no response, or if its
 * response broke off: the first megabyte of a response is read before the caller gets it.
 * What the caller does with a response does not count. Equal calls that are made at the
 * same time have no defined order, which does not matter, since they are equal. Outside
 * of operations the key is random, and the same in each retry that this interceptor
 * makes.
 * <p>
 * A call that has a key already keeps it.
 */
public final class IdempotencyKeyClientInterceptor implements ClientHttpRequestInterceptor {

	private static final String OWN_KEY = IdempotencyKeyClientInterceptor.class.getName();

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
	 */
	public static IdempotencyKeyClientInterceptor retrying(ClientRetry retry) {
		return new IdempotencyKeyClientInterceptor(KeyHeaders.standard(), retry);
	}

	/**
	 * A copy with other headers.
	 * @param headers which header carries the key, for each host
	 */
	public IdempotencyKeyClientInterceptor withHeaders(KeyHeaders headers) {
		return new IdempotencyKeyClientInterceptor(headers, this.retry);
	}

	/**
	 * A copy with another header for a host.
	 * @param host the name of the host
	 * @param header the name of the header
	 */
	public IdempotencyKeyClientInterceptor withHeader(String host, String header) {
		return withHeaders(this.headers.with(host, header));
	}

	@Override
	public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
			throws IOException {
		if (OutgoingCall.isSafe(request.getMethod())) {
			return send(() -> execution.execute(request, body));
		}
		String header = this.headers.forUri(request.getURI());
		IdempotencyContext operation = IdempotencyContext.find().orElse(null);
		boolean hasKey = request.getHeaders().containsHeader(header);
		// An interceptor before this one may send the request again, with our own key
		if (operation == null || (hasKey && !request.getAttributes().containsKey(OWN_KEY))) {
			if (!hasKey) {
				request.getHeaders().set(header, IdempotencyKeys.random());
			}
			return send(() -> (this.retry != null) ? ReadAheadResponse.of(execution.execute(request, body), () -> {
			}) : execution.execute(request, body));
		}
		OutgoingCall call = new OutgoingCall(operation, request.getMethod(), request.getURI());
		request.getHeaders().set(header, call.key(request.getHeaders().getContentType(), body));
		request.getAttributes().put(OWN_KEY, true);
		boolean succeeded = false;
		try {
			ClientHttpResponse response = send(
					() -> ReadAheadResponse.of(execution.execute(request, body), call::failed));
			succeeded = !response.getStatusCode().isError();
			return response;
		}
		finally {
			if (!succeeded) {
				call.failed();
			}
		}
	}

	private ClientHttpResponse send(RetriedCall.Call call) throws IOException {
		return (this.retry != null) ? new RetriedCall(this.retry, ThreadLocalRandom.current()).execute(call)
				: call.make();
	}

}
