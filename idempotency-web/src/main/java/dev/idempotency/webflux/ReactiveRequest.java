package dev.idempotency.webflux;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;

/**
 * A request whose body can be read ahead of its handler, and whose handler may continue
 * after the server has recycled it.
 */
final class ReactiveRequest extends ServerHttpRequestDecorator {

	private volatile boolean bodyTaken;

	private volatile ReadAhead.@Nullable Read body;

	private volatile @Nullable HttpHeaders headers;

	private volatile @Nullable Map<String, Object> attributes;

	ReactiveRequest(ServerHttpRequest delegate) {
		super(delegate);
	}

	/**
	 * Decides on subscription, since filters may call this before the body is read ahead.
	 */
	@Override
	public Flux<DataBuffer> getBody() {
		return Flux.defer(() -> {
			ReadAhead.Read given = this.body;
			if (given != null) {
				return given.all();
			}
			this.bodyTaken = true;
			return getDelegate().getBody();
		});
	}

	/**
	 * Whether a filter has read the body before.
	 */
	boolean isBodyTaken() {
		return this.bodyTaken;
	}

	/**
	 * The body as it comes from the connection.
	 */
	Flux<DataBuffer> connectionBody() {
		return getDelegate().getBody();
	}

	/**
	 * Provides a body that was read ahead.
	 */
	void give(ReadAhead.Read body) {
		this.body = body;
	}

	/**
	 * Discards what was not read yet. A body within the limit is read completely first:
	 * if the response is sent on another thread before that, Reactor Netty may lose the
	 * next request on the connection.
	 */
	Mono<Void> discard(int limit) {
		ReadAhead.Read given = this.body;
		if (given != null) {
			given.discard();
		}
		else if (!this.bodyTaken && getHeaders().getContentLength() <= limit) {
			this.bodyTaken = true;
			return ReadAhead.discard(connectionBody(), limit);
		}
		return Mono.empty();
	}

	/**
	 * From now on, the handler may outlive the connection: some servers recycle the
	 * headers.
	 */
	void outliveConnection() {
		this.headers = HttpHeaders.copyOf(getDelegate().getHeaders());
	}

	@Override
	public HttpHeaders getHeaders() {
		HttpHeaders copy = this.headers;
		return (copy != null) ? copy : super.getHeaders();
	}

	/**
	 * Sets the attributes, which Spring gives only to its own requests.
	 */
	void attributes(Map<String, Object> attributes) {
		this.attributes = attributes;
	}

	@Override
	public Map<String, Object> getAttributes() {
		Map<String, Object> given = this.attributes;
		return (given != null) ? given : super.getAttributes();
	}

}
