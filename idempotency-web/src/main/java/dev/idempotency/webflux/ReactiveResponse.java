package dev.idempotency.webflux;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;

/**
 * A response that passes everything through until a handler runs under a claim, which
 * then gets what is written.
 */
class ReactiveResponse extends ServerHttpResponseDecorator {

	private static final int FILE_BUFFER = 64 * 1024;

	private volatile @Nullable ReactiveRun run;

	/**
	 * The head that a protected handler writes to, until it is sent.
	 */
	private volatile @Nullable ResponseHead head;

	/**
	 * The dispatch to the handler, unless the handler has this response for itself.
	 */
	private volatile @Nullable ReactiveDispatch dispatch;

	/**
	 * Whether the client gets a response that is known already.
	 */
	private volatile boolean known;

	/**
	 * The actions of filters before the response is sent. They are run here if nothing is
	 * sent.
	 */
	private final Queue<Supplier<? extends Mono<Void>>> actions = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean actionsRun = new AtomicBoolean();

	private ReactiveResponse(ServerHttpResponse delegate) {
		super(delegate);
	}

	static ReactiveResponse of(ServerHttpResponse server) {
		return (server instanceof ZeroCopyHttpOutputMessage) ? new ZeroCopy(server) : new ReactiveResponse(server);
	}

	/**
	 * The response of the server.
	 */
	ServerHttpResponse server() {
		return getDelegate();
	}

	/**
	 * Lets a handler that runs under a claim get what is written.
	 * @return the head that is written to from now on
	 */
	ResponseHead record(ReactiveRun run, ReactiveDispatch dispatch) {
		ResponseHead own = new ResponseHead(getDelegate().getHeaders(), getDelegate().getStatusCode());
		this.dispatch = dispatch;
		this.head = own;
		this.run = run;
		return own;
	}

	/**
	 * Lets a handler go on with a response of its own. What is written here belongs to
	 * the client again.
	 */
	ReactiveResponse separate(ReactiveRun run) {
		// Its handler may have seen a response that sends files
		ReactiveResponse alone = new ZeroCopy(new Detached(getDelegate()));
		alone.head = this.head;
		alone.run = run;
		release();
		return alone;
	}

	/**
	 * What is written belongs to the client again.
	 */
	void release() {
		this.run = null;
		this.head = null;
		this.dispatch = null;
	}

	/**
	 * The client gets a response that is known. What filters and handlers write is
	 * dropped.
	 */
	void answered() {
		this.known = true;
	}

	/**
	 * Passes the separate head on to the server.
	 * @param changed the headers that have changed; one without values is removed
	 */
	void letHeadThrough(Map<String, List<String>> changed) {
		ResponseHead own = this.head;
		if (own != null) {
			this.head = null;
			getDelegate().setStatusCode(own.status());
			ReactiveAnswers.write(changed, getDelegate().getHeaders());
		}
	}

	/**
	 * Runs the actions of filters, once.
	 */
	Mono<Void> runActions() {
		return Mono.defer(() -> this.actionsRun.compareAndSet(false, true)
				? Flux.fromIterable(List.copyOf(this.actions)).concatMap(Supplier::get).then() : Mono.empty());
	}

	/**
	 * The head of the handler, if it is the handler that asks: a filter may respond while
	 * the handler runs.
	 */
	private @Nullable ResponseHead ownHead() {
		ReactiveDispatch recorded = this.dispatch;
		return (recorded == null || recorded.isResponding()) ? this.head : null;
	}

	@Override
	public HttpHeaders getHeaders() {
		ResponseHead own = ownHead();
		return (own != null) ? own.headers() : super.getHeaders();
	}

	@Override
	public boolean setStatusCode(@Nullable HttpStatusCode status) {
		ResponseHead own = ownHead();
		if (own == null) {
			return super.setStatusCode(status);
		}
		ReactiveRun running = this.run;
		if ((running != null && running.isHeadFinal()) || super.isCommitted()) {
			return false;
		}
		own.status(status);
		return true;
	}

	@Override
	public @Nullable HttpStatusCode getStatusCode() {
		ResponseHead own = ownHead();
		return (own != null) ? own.status() : super.getStatusCode();
	}

	@Override
	public boolean setRawStatusCode(@Nullable Integer value) {
		return setStatusCode((value != null) ? HttpStatusCode.valueOf(value) : null);
	}

	@Override
	public boolean isCommitted() {
		ReactiveRun running = this.run;
		return (running != null && running.isFinal()) || super.isCommitted();
	}

	@Override
	public void beforeCommit(Supplier<? extends Mono<Void>> action) {
		ReactiveRun running = this.run;
		if (running != null && running.keeps(action)) {
			return;
		}
		if (this.actions.isEmpty()) {
			super.beforeCommit(this::runActions);
		}
		this.actions.add(action);
	}

	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
		return Mono.deferContextual((context) -> {
			ReactiveRun writing = writing(context);
			if (writing != null) {
				return writing.write(body);
			}
			return this.known ? dropped(Flux.from(body)) : super.writeWith(body);
		});
	}

	@Override
	public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
		return Mono.deferContextual((context) -> {
			ReactiveRun writing = writing(context);
			if (writing != null) {
				return writing.writeAndFlush(body);
			}
			return this.known ? dropped(Flux.from(body).concatMap((part) -> part)) : super.writeAndFlushWith(body);
		});
	}

	@Override
	public Mono<Void> setComplete() {
		return Mono.deferContextual((context) -> {
			ReactiveRun writing = writing(context);
			return (writing != null) ? writing.end() : super.setComplete();
		});
	}

	/**
	 * Who gets what is written. A handler that continues alone may be on its way here
	 * already. What a filter writes while the handler runs is for the client.
	 */
	@Nullable ReactiveRun writing(ContextView context) {
		ReactiveDispatch writer = ReactiveDispatch.of(context);
		if (writer != null && writer.isAlone()) {
			return writer.run();
		}
		ReactiveDispatch recorded = this.dispatch;
		return (recorded != null && recorded != writer && recorded.isLeftBy()) ? null : this.run;
	}

	private static Mono<Void> dropped(Flux<? extends DataBuffer> body) {
		return body.doOnNext(DataBufferUtils::release).then();
	}

	/**
	 * A response that sends files without a copy, unless they are stored.
	 */
	private static final class ZeroCopy extends ReactiveResponse implements ZeroCopyHttpOutputMessage {

		private ZeroCopy(ServerHttpResponse delegate) {
			super(delegate);
		}

		@Override
		public Mono<Void> writeWith(Path file, long position, long count) {
			return Mono.deferContextual((context) -> (writing(context) != null) ? writeWith(DataBufferUtils
				.takeUntilByteCount(DataBufferUtils.read(file, bufferFactory(), FILE_BUFFER), position + count)
				.transform(
						(buffers) -> (position > 0) ? DataBufferUtils.skipUntilByteCount(buffers, position) : buffers))
					: ((ZeroCopyHttpOutputMessage) server()).writeWith(file, position, count));
		}

	}

	/**
	 * The response of a server that answers somebody else.
	 */
	private static final class Detached extends ServerHttpResponseDecorator {

		private Detached(ServerHttpResponse delegate) {
			super(delegate);
		}

		@Override
		public boolean isCommitted() {
			return false;
		}

		@Override
		public void addCookie(ResponseCookie cookie) {
			// Nobody gets it
		}

		@Override
		public MultiValueMap<String, ResponseCookie> getCookies() {
			return new LinkedMultiValueMap<>();
		}

	}

}
