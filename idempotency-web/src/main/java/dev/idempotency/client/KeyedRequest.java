package dev.idempotency.client;

import java.nio.ByteBuffer;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpRequestDecorator;

/**
 * A request that gets its key when its body is known and nothing is sent yet.
 */
final class KeyedRequest extends ClientHttpRequestDecorator {

	private final String header;

	private final KeyMaker keys;

	KeyedRequest(ClientHttpRequest request, String header, KeyMaker keys) {
		super(request);
		this.header = header;
		this.keys = keys;
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
		CallKey key = this.keys.make(getHeaders().getContentType(), body);
		getHeaders().set(this.header, key.value());
	}

	/**
	 * Copies the bytes of a buffer, which does not change.
	 */
	private static byte[] bytes(DataBuffer buffer) {
		byte[] bytes = new byte[buffer.readableByteCount()];
		buffer.toByteBuffer(ByteBuffer.wrap(bytes));
		return bytes;
	}

	/**
	 * Makes the key of a call.
	 */
	interface KeyMaker {

		CallKey make(@Nullable MediaType type, byte @Nullable [] body);

	}

}
