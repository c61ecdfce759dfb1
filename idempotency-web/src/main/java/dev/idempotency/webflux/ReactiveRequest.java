package dev.idempotency.webflux;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;

import dev.idempotency.http.RequestContent;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpCookie;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.SslInfo;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;

/**
 * A request whose body can be read ahead of its handler, and whose handler may continue
 * after the server has recycled it.
 */
final class ReactiveRequest extends ServerHttpRequestDecorator {

	/**
	 * How long a response waits for a body that it does not need.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	/**
	 * The request of Reactor Netty, which recycles nothing. This class of Spring is not
	 * public: under another name, requests would be copied as for any other server.
	 */
	static final String OF_NETTY = "org.springframework.http.server.reactive.ReactorServerHttpRequest";

	private volatile boolean bodyTaken;

	private volatile ReadAhead.@Nullable Read body;

	private volatile @Nullable Copy copy;

	private volatile @Nullable Map<String, Object> attributes;

	ReactiveRequest(ServerHttpRequest delegate) {
		super(delegate);
	}

	/**
	 * Decides on subscription, since filters may call this before the body is read ahead.
	 */
	@Override
	public Flux<DataBuffer> getBody() {
		return Flux.deferContextual((context) -> {
			ReadAhead.Read given = this.body;
			if (given != null) {
				return given.all();
			}
			ReactiveExchange reader = ReactiveExchange.of(context);
			if (this.bodyTaken && reader != null && reader.request() != this) {
				// A part of a batch without a body of its own
				return Flux.empty();
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
	 * How much of the body is held in memory.
	 */
	int heldBytes() {
		ReadAhead.Read given = this.body;
		return (given != null) ? given.bytes().length : 0;
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
	 * Reads what is left of the body, because no handler will. If a request is answered
	 * on another thread before the end of its body, Reactor Netty may lose the next one
	 * on the connection. A body over the limit is not waited for at any length.
	 */
	Mono<Void> discard(int limit) {
		long most = Math.max(limit, RequestContent.MOST_DISCARDED);
		ReadAhead.Read given = this.body;
		if (given != null) {
			return given.isComplete() ? Mono.empty() : soon(ReadAhead.discard(given.rest(), most));
		}
		if (this.bodyTaken) {
			return Mono.empty();
		}
		this.bodyTaken = true;
		Mono<Void> discarded = ReadAhead.discard(connectionBody(), most);
		return (getHeaders().getContentLength() <= limit) ? discarded : soon(discarded);
	}

	private static Mono<Void> soon(Mono<Void> end) {
		return Mono.firstWithSignal(end, Mono.delay(PATIENCE).then());
	}

	/**
	 * From now on, the handler may outlive the connection: some servers recycle the
	 * request.
	 */
	void outliveConnection() {
		ServerHttpRequest server = getDelegate();
		if (!server.getClass().getName().equals(OF_NETTY)) {
			this.copy = new Copy(HttpHeaders.copyOf(server.getHeaders()),
					new LinkedMultiValueMap<>(server.getCookies()), server.getLocalAddress(), server.getRemoteAddress(),
					server.getSslInfo());
		}
	}

	@Override
	public HttpHeaders getHeaders() {
		Copy known = this.copy;
		return (known != null) ? known.headers() : super.getHeaders();
	}

	@Override
	public MultiValueMap<String, HttpCookie> getCookies() {
		Copy known = this.copy;
		return (known != null) ? known.cookies() : super.getCookies();
	}

	@Override
	public @Nullable InetSocketAddress getLocalAddress() {
		Copy known = this.copy;
		return (known != null) ? known.local() : super.getLocalAddress();
	}

	@Override
	public @Nullable InetSocketAddress getRemoteAddress() {
		Copy known = this.copy;
		return (known != null) ? known.remote() : super.getRemoteAddress();
	}

	@Override
	public @Nullable SslInfo getSslInfo() {
		Copy known = this.copy;
		return (known != null) ? known.ssl() : super.getSslInfo();
	}

	/**
	 * Gives a request the attributes of its exchange, as Spring's own requests have them.
	 */
	static Mono<Void> shareAttributes(ServerWebExchange exchange, WebFilterChain chain) {
		if (exchange.getRequest() instanceof ReactiveRequest request) {
			request.attributes = exchange.getAttributes();
		}
		return chain.filter(exchange);
	}

	@Override
	public Map<String, Object> getAttributes() {
		Map<String, Object> given = this.attributes;
		return (given != null) ? given : super.getAttributes();
	}

	/**
	 * What servers recycle.
	 */
	private record Copy(HttpHeaders headers, MultiValueMap<String, HttpCookie> cookies,
			@Nullable InetSocketAddress local, @Nullable InetSocketAddress remote, @Nullable SslInfo ssl) {
	}

}
