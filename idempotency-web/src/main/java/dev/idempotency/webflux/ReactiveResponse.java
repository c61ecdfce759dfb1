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
 * A response that lets everything through until something is decided about its request.
 */
final class ReactiveResponse extends ServerHttpResponseDecorator {

	private volatile @Nullable Pen pen;

	/**
	 * What a protected handler writes to: some servers recycle their own when the client
	 * is gone.
	 */
	private volatile @Nullable HttpHeaders headers;

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
	 * Someone else decides what becomes of whatever is written.
	 */
	void handOver(Pen pen) {
		this.pen = pen;
	}

	/**
	 * Keeps headers apart from those of the server.
	 * @return the headers as they are now
	 */
	HttpHeaders isolateHeaders() {
		HttpHeaders before = HttpHeaders.copyOf(getDelegate().getHeaders());
		this.headers = HttpHeaders.copyOf(before);
		return before;
	}

	/**
	 * Gives the headers that were kept apart to the server.
	 * @param changed those that are not as they were; one without values is removed
	 */
	void letHeadersThrough(Map<String, List<String>> changed) {
		if (this.headers != null) {
			this.headers = null;
			ReactiveAnswers.write(changed, getDelegate().getHeaders());
		}
	}

	@Override
	public HttpHeaders getHeaders() {
		HttpHeaders own = this.headers;
		return (own != null) ? own : super.getHeaders();
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
	 * Decides what becomes of what is written.
	 */
	interface Pen {

		/**
		 * Whether there is an answer that nobody can change any more.
		 */
		boolean isFinal();

		/**
		 * Keeps what is to be done before the answer is sent, to do it itself.
		 * @return whether it does
		 */
		boolean keeps(Supplier<? extends Mono<Void>> action);

		Mono<Void> write(Publisher<? extends DataBuffer> body);

		Mono<Void> writeAndFlush(Publisher<? extends Publisher<? extends DataBuffer>> body);

		Mono<Void> end();

	}

}
