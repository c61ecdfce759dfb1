package dev.idempotency.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * One call and its retries, as Spring's {@link RetryTemplate} makes them.
 */
final class RetriedCall implements RetryPolicy {

	private static final double MULTIPLIER = 2;

	private static final Pattern STILL_AT_IT = Pattern.compile("\"type\"\\s*:\\s*\"[^\"]*\\bin-progress\"");

	private final ClientRetry retry;

	private final RandomGenerator random;

	/**
	 * The wait that the server requested with its latest response.
	 */
	private Duration askedFor = Duration.ZERO;

	private @Nullable ClientHttpResponse latest;

	RetriedCall(ClientRetry retry, RandomGenerator random) {
		this.retry = retry;
		this.random = random;
	}

	/**
	 * Makes the call until its response is final, or there is no reason to retry.
	 * @throws IOException if the last attempt got no response
	 */
	ClientHttpResponse execute(Call call) throws IOException {
		try {
			return new RetryTemplate(this).execute(() -> attempt(call));
		}
		catch (RetryException ex) {
			Throwable last = ex.getLastException();
			if (last instanceof UnsettledException && this.latest != null) {
				return this.latest;
			}
			if (last instanceof IOException io) {
				throw io;
			}
			if (last instanceof RuntimeException unchecked) {
				throw unchecked;
			}
			if (last instanceof Error error) {
				throw error;
			}
			throw new IllegalStateException(last);
		}
	}

	private ClientHttpResponse attempt(Call call) throws IOException, UnsettledException {
		if (this.latest != null) {
			this.latest.close();
			this.latest = null;
		}
		ClientHttpResponse response = call.make();
		this.latest = response;
		if (isSettled(response)) {
			return response;
		}
		throw new UnsettledException();
	}

	private boolean isSettled(ClientHttpResponse response) throws IOException {
		int status = response.getStatusCode().value();
		if (!this.retry.statuses().contains(status)) {
			return true;
		}
		return status == HttpStatus.CONFLICT.value() && !isStillAtIt(response);
	}

	/**
	 * Whether the first request is in progress. Other conflicts do not end by themselves.
	 */
	private static boolean isStillAtIt(ClientHttpResponse response) {
		if (response.getHeaders().containsHeader(HttpHeaders.RETRY_AFTER)) {
			return true;
		}
		return response instanceof ReadAheadResponse read
				&& MediaType.APPLICATION_PROBLEM_JSON.equalsTypeAndSubtype(read.getHeaders().getContentType())
				&& STILL_AT_IT.matcher(new String(read.beginning(), StandardCharsets.UTF_8)).find();
	}

	@Override
	public boolean shouldRetry(Throwable failure) {
		this.askedFor = (this.latest != null)
				? IdempotencyResponse.of(this.latest.getHeaders()).retryAfter().orElse(Duration.ZERO) : Duration.ZERO;
		return failure instanceof UnsettledException
				|| (failure instanceof IOException io && this.retry.errors().test(io));
	}

	@Override
	public Duration getTimeout() {
		return this.retry.deadline();
	}

	@Override
	public BackOff getBackOff() {
		ExponentialBackOff delays = new ExponentialBackOff(this.retry.firstDelay().toMillis(), MULTIPLIER);
		delays.setMaxInterval(this.retry.maxDelay().toMillis());
		delays.setMaxAttempts(this.retry.attempts() - 1L);
		return () -> {
			BackOffExecution execution = delays.start();
			return () -> waitFor(execution.nextBackOff());
		};
	}

	private long waitFor(long delay) {
		return (delay != BackOffExecution.STOP) ? this.askedFor.toMillis() + this.random.nextLong(delay + 1)
				: BackOffExecution.STOP;
	}

	/**
	 * A call that may be made again.
	 */
	interface Call {

		ClientHttpResponse make() throws IOException;

	}

	/**
	 * Signals a response that is not final.
	 */
	private static final class UnsettledException extends Exception {

		private static final long serialVersionUID = 1L;

		private UnsettledException() {
			super("The server asks to be called again", null, false, false);
		}

	}

}
