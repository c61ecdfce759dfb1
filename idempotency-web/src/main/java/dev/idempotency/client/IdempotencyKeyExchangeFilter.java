package dev.idempotency.client;

import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeys;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;

/**
 * Adds an idempotency key to each unsafe call of a {@code WebClient}, as
 * {@link IdempotencyKeyClientInterceptor} does for other clients. It does not retry.
 * <p>
 * The operation that a call is part of is the one in the subscriber's context, under
 * {@code IdempotencyContext.class}, or else that of the thread that subscribes. Only
 * bodies that are in memory as a whole count. The order of the calls alone tells streams
 * apart, and multipart bodies, too.
 */
public final class IdempotencyKeyExchangeFilter implements ExchangeFilterFunction {

	private final KeyHeaders headers;

	/**
	 * Create a filter.
	 */
	public IdempotencyKeyExchangeFilter() {
		this(KeyHeaders.standard());
	}

	private IdempotencyKeyExchangeFilter(KeyHeaders headers) {
		this.headers = headers;
	}

	/**
	 * A copy with other headers.
	 * @param headers which header carries the key, for each host
	 * @return the filter
	 */
	public IdempotencyKeyExchangeFilter withHeaders(KeyHeaders headers) {
		return new IdempotencyKeyExchangeFilter(headers);
	}

	/**
	 * A copy with another header for a host.
	 * @param host the name of the host
	 * @param header the name of the header
	 * @return the filter
	 */
	public IdempotencyKeyExchangeFilter withHeader(String host, String header) {
		return withHeaders(this.headers.with(host, header));
	}

	@Override
	public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
		String header = this.headers.forUri(request.url());
		if (CallKey.isSafe(request.method()) || request.headers().containsHeader(header)) {
			return next.exchange(request);
		}
		// The same however often a filter before this one subscribes
		String random = IdempotencyKeys.random();
		return Mono.deferContextual((view) -> {
			IdempotencyContext operation = view.<IdempotencyContext>getOrEmpty(IdempotencyContext.class)
				.orElseGet(() -> IdempotencyContext.find().orElse(null));
			return (operation != null) ? exchange(operation, header, request, next)
					: next.exchange(ClientRequest.from(request).header(header, random).build());
		});
	}

	private static Mono<ClientResponse> exchange(IdempotencyContext operation, String header, ClientRequest request,
			ExchangeFunction next) {
		AtomicReference<@Nullable CallKey> key = new AtomicReference<>();
		ClientRequest keyed = ClientRequest.from(request)
			.body((message, context) -> request.body()
				.insert(new KeyedRequest(message, header, (type, body) -> key(key, operation, request, type, body)),
						context))
			.build();
		Runnable failed = () -> {
			CallKey made = key.get();
			if (made != null) {
				made.failed();
			}
		};
		return next.exchange(keyed)
			.map((response) -> watched(response, key.get(), failed))
			.doOnError((error) -> failed.run())
			.doOnCancel(failed);
	}

	/**
	 * A filter after this one may send the request again, with the same key.
	 */
	private static CallKey key(AtomicReference<@Nullable CallKey> made, IdempotencyContext operation,
			ClientRequest request, @Nullable MediaType type, byte @Nullable [] body) {
		CallKey known = made.get();
		if (known != null) {
			return known;
		}
		CallKey key = CallKey.of(operation, request.method(), request.url(), type, body);
		made.set(key);
		return key;
	}

	private static ClientResponse watched(ClientResponse response, @Nullable CallKey key, Runnable failed) {
		if (key != null) {
			key.answered(response.statusCode());
		}
		return response.mutate().body((body) -> body.doOnError((error) -> failed.run()).doOnCancel(failed)).build();
	}

}
