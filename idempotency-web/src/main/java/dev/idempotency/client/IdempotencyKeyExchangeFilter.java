package dev.idempotency.client;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpRequestDecorator;
import org.springframework.web.reactive.function.BodyExtractors;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;

/**
 * Adds an idempotency key to each unsafe call of a {@code WebClient}, as
 * {@link IdempotencyKeyClientInterceptor} does for other clients. It does not retry.
 * <p>
 * The operation that a call is part of is the one in the subscriber's context
 * ({@link ReactiveIdempotencyContext}), or else that of the thread on which the pipeline
 * was subscribed to: once this class is loaded, a pipeline that the thread of an
 * operation subscribes to has the operation in its context, on all threads. Only bodies
 * that are in memory as a whole count. The order of the calls alone tells streams apart,
 * and multipart bodies, too.
 */
public final class IdempotencyKeyExchangeFilter implements ExchangeFilterFunction {

	static {
		// A retry subscribes on a thread that knows nothing of the operation
		Hooks.onLastOperator(IdempotencyKeyExchangeFilter.class.getName(),
				IdempotencyKeyExchangeFilter::withOperationOfThread);
	}

	private final KeyHeaders headers;

	public IdempotencyKeyExchangeFilter() {
		this(KeyHeaders.standard());
	}

	private IdempotencyKeyExchangeFilter(KeyHeaders headers) {
		this.headers = headers;
	}

	private static Publisher<Object> withOperationOfThread(Publisher<Object> pipeline) {
		IdempotencyContext operation = IdempotencyContext.find().orElse(null);
		if (operation == null) {
			return pipeline;
		}
		if (pipeline instanceof Mono<Object> mono) {
			return mono.contextWrite((context) -> withOperation(context, operation));
		}
		return (pipeline instanceof Flux<Object> flux)
				? flux.contextWrite((context) -> withOperation(context, operation)) : pipeline;
	}

	private static Context withOperation(Context context, IdempotencyContext operation) {
		// The pipeline may be a part of another one
		return (ReactiveIdempotencyContext.enclosing(context) == operation)
				? ReactiveIdempotencyContext.bind(context, operation) : context;
	}

	/**
	 * A copy with other headers.
	 * @param headers which header carries the key, for each host
	 */
	public IdempotencyKeyExchangeFilter withHeaders(KeyHeaders headers) {
		return new IdempotencyKeyExchangeFilter(headers);
	}

	/**
	 * A copy with another header for a host.
	 * @param host the name of the host
	 * @param header the name of the header
	 */
	public IdempotencyKeyExchangeFilter withHeader(String host, String header) {
		return withHeaders(this.headers.with(host, header));
	}

	@Override
	public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
		String header = this.headers.forUri(request.url());
		if (OutgoingCall.isSafe(request.method()) || request.headers().containsHeader(header)) {
			return next.exchange(request);
		}
		// The same however often a filter before this one subscribes
		String random = IdempotencyKeys.random();
		return Mono.deferContextual((view) -> {
			IdempotencyContext operation = ReactiveIdempotencyContext.enclosing(view);
			return (operation != null)
					? exchange(new OutgoingCall(operation, request.method(), request.url()), header, request, next)
					: next.exchange(ClientRequest.from(request).header(header, random).build());
		});
	}

	private static Mono<ClientResponse> exchange(OutgoingCall call, String header, ClientRequest request,
			ExchangeFunction next) {
		ClientRequest keyed = ClientRequest.from(request)
			.body((message, context) -> request.body().insert(new KeyedRequest(message, header, call), context))
			.build();
		AtomicBoolean received = new AtomicBoolean();
		return next.exchange(keyed).flatMap((response) -> {
			if (response.statusCode().isError()) {
				call.failed();
				return Mono.just(response);
			}
			return readAhead(response, call, received);
		}).doOnError((error) -> call.failed()).doOnCancel(() -> {
			// Whoever has the response may cancel, having seen enough
			if (!received.get()) {
				call.failed();
			}
		});
	}

	/**
	 * Waits for the body, or its beginning, unless it is a stream that may never end. If
	 * it breaks off there, or takes too long for the caller, the call has failed, whether
	 * or not the caller would read the body.
	 */
	private static Mono<ClientResponse> readAhead(ClientResponse response, OutgoingCall call, AtomicBoolean received) {
		UnaryOperator<Flux<DataBuffer>> watch = (body) -> body.doOnSubscribe((subscription) -> received.set(true))
			.doOnError((error) -> call.failed());
		if (OutgoingCall.isStream(response.headers().contentType().orElse(null))) {
			return Mono.just(response.mutate().body(watch).build());
		}
		AtomicLong count = new AtomicLong();
		return response.body(BodyExtractors.toDataBuffers())
			.bufferUntil((buffer) -> count.addAndGet(buffer.readableByteCount()) > OutgoingCall.READ_AHEAD)
			.map((buffers) -> buffers.get(0).factory().join(buffers))
			.switchOnFirst((first, body) -> {
				Throwable failure = first.getThrowable();
				return (failure != null) ? Mono.error(failure)
						: Mono.just(response.mutate().body((read) -> watch.apply(body)).build());
			}, false)
			.doOnDiscard(DataBuffer.class, DataBufferUtils::release)
			.single();
	}

	/**
	 * A request that gets its key when its body is known and nothing is sent yet.
	 */
	private static final class KeyedRequest extends ClientHttpRequestDecorator {

		private final String header;

		private final OutgoingCall call;

		private KeyedRequest(ClientHttpRequest request, String header, OutgoingCall call) {
			super(request);
			this.header = header;
			this.call = call;
		}

		@Override
		public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
			if (!(body instanceof Mono)) {
				writeKey(null);
				return super.writeWith(body);
			}
			return Mono.<DataBuffer>from(body).map(Optional::of).defaultIfEmpty(Optional.empty()).flatMap((buffer) -> {
				writeKey(buffer.map(KeyedRequest::bytes).orElseGet(() -> new byte[0]));
				return super.writeWith(Mono.justOrEmpty(buffer));
			});
		}

		@Override
		public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			writeKey(null);
			return super.writeAndFlushWith(body);
		}

		@Override
		public Mono<Void> setComplete() {
			writeKey(new byte[0]);
			return super.setComplete();
		}

		private void writeKey(byte @Nullable [] body) {
			getHeaders().set(this.header, this.call.key(getHeaders().getContentType(), body));
		}

		/**
		 * Copies the bytes of a buffer, which does not change.
		 */
		private static byte[] bytes(DataBuffer buffer) {
			byte[] bytes = new byte[buffer.readableByteCount()];
			buffer.toByteBuffer(ByteBuffer.wrap(bytes));
			return bytes;
		}

	}

}
