package dev.idempotency.core;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyException;

/**
 * The failures after which it is unknown whether the work was done, by the names of their
 * types: a request has left, and its response did not come. The types and their subtypes
 * count, anywhere among the causes of a failure, unless the failure says that there was
 * no connection.
 *
 * @param types the names of exceptions
 */
public record UnknownOutcomes(Set<String> types) {

	/**
	 * The types that count unless the application says otherwise.
	 */
	public static final List<String> DEFAULT_TYPES = List.of("java.net.SocketTimeoutException",
			"java.net.http.HttpTimeoutException", "java.util.concurrent.TimeoutException",
			"org.springframework.web.client.ResourceAccessException",
			"org.springframework.web.reactive.function.client.WebClientRequestException");

	/**
	 * After any failure, the work counts as not done.
	 */
	public static final UnknownOutcomes NONE = new UnknownOutcomes(Set.of());

	static final UnknownOutcomes DEFAULT = NONE.and(DEFAULT_TYPES);

	/**
	 * Nothing was sent: there was no address, no connection, or none was free.
	 */
	private static final Set<String> NOT_SENT = Set.of("java.net.ConnectException", "java.net.NoRouteToHostException",
			"java.net.UnknownHostException", "java.net.http.HttpConnectTimeoutException",
			"java.nio.channels.UnresolvedAddressException", "org.apache.hc.client5.http.ConnectTimeoutException",
			"org.apache.hc.core5.http.ConnectionRequestTimeoutException",
			"reactor.netty.internal.shaded.reactor.pool.PoolAcquireTimeoutException",
			"reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException");

	/**
	 * A failure may be its own cause in the end.
	 */
	private static final int MOST_CAUSES = 50;

	public UnknownOutcomes {
		types = Set.copyOf(types);
	}

	/**
	 * These and more types.
	 * @param types the names of exceptions
	 */
	public UnknownOutcomes and(Collection<String> types) {
		return types.isEmpty() ? this
				: new UnknownOutcomes(Stream.concat(this.types.stream(), types.stream()).collect(Collectors.toSet()));
	}

	/**
	 * Whether a failure leaves open whether the work was done. A failure of the library
	 * is not one of the work.
	 */
	public boolean isUnknownAfter(Throwable failure) {
		boolean unknown = false;
		Throwable cause = failure;
		for (int i = 0; cause != null && !(cause instanceof IdempotencyException) && i < MOST_CAUSES; i++) {
			if (isOneOf(NOT_SENT, cause)) {
				return false;
			}
			unknown = unknown || isOneOf(this.types, cause);
			cause = cause.getCause();
		}
		return unknown;
	}

	private static boolean isOneOf(Set<String> names, Throwable failure) {
		for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
			if (names.contains(type.getName())) {
				return true;
			}
		}
		return false;
	}

}
