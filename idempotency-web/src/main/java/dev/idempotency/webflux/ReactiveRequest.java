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
 * A request whose body can be read ahead of its handler, and whose handler may go on when
 * the server has forgotten it.
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
	 * When it is read, and not when it is asked for: others ask for it ahead of us.
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
	 * Whether someone has read the body before us.
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
	 * Gives out a body that was read ahead.
	 */
	void give(ReadAhead.Read body) {
		this.body = body;
	}

	/**
	 * Nobody will read what was not read yet. A body that is no larger than others is
	 * read to its end first: if the request is answered on another thread before that,
	 * Reactor Netty may forget the next one on the connection.
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
	 * From now on, whoever reads may do so for longer than the server knows the request:
	 * some recycle its headers.
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
	 * Spring gives them to requests of its own only.
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
