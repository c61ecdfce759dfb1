package dev.idempotency.webflux;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;

/**
 * A response that passes everything through until its request is decided.
 */
final class ReactiveResponse extends ServerHttpResponseDecorator {

	private volatile @Nullable Pen pen;

	/**
	 * The headers that a protected handler writes to, until they are sent.
	 */
	private volatile @Nullable IsolatedHeaders isolated;

	ReactiveResponse(ServerHttpResponse delegate) {
		super(delegate);
	}

	/**
	 * The response of the server.
	 */
	ServerHttpResponse server() {
		return getDelegate();
	}

	/**
	 * Lets a pen decide what happens to what is written.
	 */
	void handOver(Pen pen) {
		this.pen = pen;
	}

	/**
	 * Separates the headers from those of the server.
	 */
	IsolatedHeaders isolateHeaders() {
		IsolatedHeaders own = new IsolatedHeaders(getDelegate().getHeaders());
		this.isolated = own;
		return own;
	}

	/**
	 * Passes the separate headers on to the server.
	 * @param changed the headers that have changed; one without values is removed
	 */
	void letHeadersThrough(Map<String, List<String>> changed) {
		if (this.isolated != null) {
			this.isolated = null;
			ReactiveAnswers.write(changed, getDelegate().getHeaders());
		}
	}

	@Override
	public HttpHeaders getHeaders() {
		IsolatedHeaders own = this.isolated;
		return (own != null) ? own.headers() : super.getHeaders();
	}

	@Override
	public boolean isCommitted() {
		Pen other = this.pen;
		return (other != null && other.isFinal()) || super.isCommitted();
	}

	@Override
	public void beforeCommit(Supplier<? extends Mono<Void>> action) {
		Pen other = this.pen;
		if (other == null || !other.keeps(action)) {
			super.beforeCommit(action);
		}
	}

	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
		return Mono.defer(() -> {
			Pen other = this.pen;
			return (other != null) ? other.write(body) : super.writeWith(body);
		});
	}

	@Override
	public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
		return Mono.defer(() -> {
			Pen other = this.pen;
			return (other != null) ? other.writeAndFlush(body) : super.writeAndFlushWith(body);
		});
	}

	@Override
	public Mono<Void> setComplete() {
		return Mono.defer(() -> {
			Pen other = this.pen;
			return (other != null) ? other.end() : super.setComplete();
		});
	}

	/**
	 * Decides what happens to what is written.
	 */
	interface Pen {

		/**
		 * Whether the response can no longer be changed.
		 */
		boolean isFinal();

		/**
		 * Takes over an action that runs before the response is sent.
		 * @return whether it does
		 */
		boolean keeps(Supplier<? extends Mono<Void>> action);

		Mono<Void> write(Publisher<? extends DataBuffer> body);

		Mono<Void> writeAndFlush(Publisher<? extends Publisher<? extends DataBuffer>> body);

		Mono<Void> end();

	}

}
