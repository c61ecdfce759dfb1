package dev.idempotency.webflux;

import java.nio.file.Path;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.util.MultiValueMap;

/**
 * The response that a handler writes to: that of its exchange, until the handler
 * continues alone.
 */
class HandlerResponse extends ServerHttpResponseDecorator {

	private volatile @Nullable ServerHttpResponse alone;

	HandlerResponse(ServerHttpResponse delegate) {
		super(delegate);
	}

	static HandlerResponse around(ServerHttpResponse response) {
		return (response instanceof ZeroCopyHttpOutputMessage) ? new ZeroCopy(response) : new HandlerResponse(response);
	}

	/**
	 * From now on, the handler writes to another response.
	 */
	void goesOn(ServerHttpResponse alone) {
		this.alone = alone;
	}

	boolean isAlone() {
		return this.alone != null;
	}

	final ServerHttpResponse target() {
		ServerHttpResponse own = this.alone;
		return (own != null) ? own : getDelegate();
	}

	@Override
	public boolean setStatusCode(@Nullable HttpStatusCode status) {
		return target().setStatusCode(status);
	}

	@Override
	public @Nullable HttpStatusCode getStatusCode() {
		return target().getStatusCode();
	}

	@Override
	public boolean setRawStatusCode(@Nullable Integer value) {
		return target().setRawStatusCode(value);
	}

	@Override
	public HttpHeaders getHeaders() {
		return target().getHeaders();
	}

	@Override
	public MultiValueMap<String, ResponseCookie> getCookies() {
		return target().getCookies();
	}

	@Override
	public void addCookie(ResponseCookie cookie) {
		target().addCookie(cookie);
	}

	@Override
	public void beforeCommit(Supplier<? extends Mono<Void>> action) {
		target().beforeCommit(action);
	}

	@Override
	public boolean isCommitted() {
		return target().isCommitted();
	}

	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
		return target().writeWith(body);
	}

	@Override
	public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
		return target().writeAndFlushWith(body);
	}

	@Override
	public Mono<Void> setComplete() {
		return target().setComplete();
	}

	/**
	 * A response that sends files without a copy.
	 */
	private static final class ZeroCopy extends HandlerResponse implements ZeroCopyHttpOutputMessage {

		private ZeroCopy(ServerHttpResponse delegate) {
			super(delegate);
		}

		@Override
		public Mono<Void> writeWith(Path file, long position, long count) {
			return ((ZeroCopyHttpOutputMessage) target()).writeWith(file, position, count);
		}

	}

}
