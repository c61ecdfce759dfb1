package dev.idempotency.webflux;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.function.Supplier;

import dev.idempotency.reactive.Outliving;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;

/**
 * One dispatch of a request to its handler. A filter may dispatch a request again, or
 * cancel a dispatch whose handler continues.
 */
final class ReactiveDispatch implements Outliving.Owner<Void> {

	private static final Logger logger = LoggerFactory.getLogger(ReactiveDispatch.class);

	/**
	 * Whose handler does something to its response on this thread.
	 */
	private static final ThreadLocal<@Nullable ReactiveDispatch> RESPONDING = new ThreadLocal<>();

	private final ReactiveExchange carried;

	private final HandlerResponse response;

	private final ServerWebExchange exchange;

	private final Sinks.Empty<Void> end = Sinks.empty();

	/**
	 * Guarded by this, as is the next.
	 */
	private @Nullable ReactiveRun run;

	private boolean cancelled;

	private volatile @Nullable Throwable failure;

	/**
	 * Whether the handler writes its response, or has ended: from now on, whatever is
	 * done to the response is done for the handler.
	 */
	private volatile boolean responding;

	/**
	 * What the pipeline of the dispatch holds, and nothing else.
	 */
	private WeakReference<Object> pipeline = new WeakReference<>(null);

	private ReactiveDispatch(ReactiveExchange carried, ServerWebExchange exchange) {
		this.carried = carried;
		this.response = HandlerResponse.around(exchange.getResponse(), this);
		this.exchange = exchange.mutate().response(this.response).build();
	}

	/**
	 * Begins a dispatch behind all filters.
	 */
	static Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		return IdempotencyHttpHandler.isSafe(exchange.getRequest().getMethod()) ? chain.filter(exchange)
				: Mono.deferContextual((context) -> {
					ReactiveExchange carried = ReactiveExchange.of(context);
					return (carried != null) ? begin(carried, exchange, chain) : chain.filter(exchange);
				});
	}

	/**
	 * The dispatch that a pipeline belongs to.
	 * @return {@code null} if the request did not come through the edge
	 */
	static @Nullable ReactiveDispatch of(ContextView context) {
		return (context.getOrDefault(ReactiveExchange.KEY, null) instanceof ReactiveDispatch dispatch) ? dispatch
				: null;
	}

	/**
	 * Dispatches a request.
	 * @param next what it is dispatched to
	 */
	static Mono<Void> begin(ReactiveExchange carried, ServerWebExchange exchange, WebFilterChain next) {
		return Mono.defer(() -> {
			// Spring would append the pattern of this dispatch to that of the one before
			exchange.getAttributes().remove(RouterFunctions.MATCHING_PATTERN_ATTRIBUTE);
			ReactiveDispatch dispatch = new ReactiveDispatch(carried, exchange);
			Publisher<Void> handled = next.filter(dispatch.exchange)
				.doOnEach((signal) -> dispatch.ended(signal.getThrowable()))
				.contextWrite((context) -> context.put(ReactiveExchange.KEY, dispatch));
			Outliving<Void> outliving = new Outliving<>(handled, dispatch);
			dispatch.pipeline = new WeakReference<>(outliving);
			return Mono.fromDirect(outliving);
		});
	}

	ReactiveExchange carried() {
		return this.carried;
	}

	/**
	 * Whether this is the exchange that was dispatched, and not a part of a batch.
	 */
	boolean isOf(ServerWebExchange exchange) {
		return this.exchange == exchange;
	}

	/**
	 * Lets a handler run, and records its response.
	 * @return {@code false} if nobody waits for it any more
	 */
	synchronized boolean arm(ReactiveRun run) {
		if (this.cancelled || this.carried.response().isCommitted() || !this.carried.arm(run, this)) {
			return false;
		}
		this.run = run;
		Object lifeline = this.pipeline.get();
		if (lifeline != null) {
			run.endsWith(lifeline);
		}
		return true;
	}

	synchronized @Nullable ReactiveRun run() {
		return this.run;
	}

	/**
	 * Whether the handler continues without those who dispatched to it.
	 */
	boolean isAlone() {
		return this.response.alone != null;
	}

	@Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * Completes when the dispatch has ended.
	 */
	Mono<Void> ended() {
		return this.end.asMono();
	}

	/**
	 * Whether what is done to the response now is done by the handler, or for it.
	 */
	boolean isResponding() {
		return this.responding || RESPONDING.get() == this;
	}

	/**
	 * The dispatch has ended, maybe with an exception that Spring has not handled.
	 */
	private void ended(@Nullable Throwable failure) {
		this.responding = true;
		if (failure == null) {
			this.end.tryEmitEmpty();
			return;
		}
		ReactiveRun armed = run();
		if (armed != null) {
			armed.failedUnhandled(failure);
		}
		this.failure = failure;
		this.end.tryEmitError(failure);
	}

	/**
	 * A filter has cancelled the dispatch. A handler that runs under a claim continues
	 * with a response of its own, and the filter writes to that of the client.
	 */
	@Override
	public boolean goesOn() {
		ReactiveRun armed;
		synchronized (this) {
			this.cancelled = true;
			armed = this.run;
		}
		if (armed == null) {
			return false;
		}
		leave(armed);
		return true;
	}

	private boolean leave(ReactiveRun armed) {
		if (!armed.leave()) {
			return false;
		}
		synchronized (this) {
			if (!isAlone()) {
				this.response.alone = this.carried.response().separate(armed);
				this.carried.forget(armed);
			}
		}
		return true;
	}

	/**
	 * A filter responds while the handler runs, without a cancellation. The handler
	 * continues with a response of its own.
	 * @return {@code false} if the handler responds already
	 */
	boolean isLeftBy() {
		ReactiveRun armed = run();
		return armed != null && !this.responding && leave(armed);
	}

	/**
	 * A filter of routes has cancelled the handler, and responds in its place. The key
	 * stays claimed until the handler ends.
	 */
	void handlerContinuesUnanswered(ReactiveRun armed) {
		if (armed.leave()) {
			this.carried.response().release();
			this.carried.forget(armed);
		}
	}

	@Override
	public void endedAlone(@Nullable Throwable failure) {
		ReactiveRun armed = run();
		if (armed == null) {
			return;
		}
		if (failure != null) {
			logger.debug("{} failed after its dispatch was cancelled", armed, failure);
		}
		Mono<Void> ended = (failure != null) ? armed.failed() : armed.isFinal() ? Mono.empty() : armed.end();
		ended.subscribe((nothing) -> {
		}, (ex) -> logger.warn("The key of {} could not be settled: {}", armed, ex.toString()));
	}

	@Override
	public void broken() {
		ReactiveRun armed = run();
		if (armed != null) {
			armed.letLeaseRunOut();
		}
	}

	/**
	 * The response that a handler writes to: that of its exchange, until the handler
	 * continues alone.
	 */
	private static class HandlerResponse extends ServerHttpResponseDecorator {

		private final ReactiveDispatch dispatch;

		private volatile @Nullable ServerHttpResponse alone;

		private HandlerResponse(ServerHttpResponse delegate, ReactiveDispatch dispatch) {
			super(delegate);
			this.dispatch = dispatch;
		}

		private static HandlerResponse around(ServerHttpResponse response, ReactiveDispatch dispatch) {
			return (response instanceof ZeroCopyHttpOutputMessage) ? new ZeroCopy(response, dispatch)
					: new HandlerResponse(response, dispatch);
		}

		/**
		 * Does something to the response as the handler.
		 */
		final <T extends @Nullable Object> T respond(Supplier<T> action) {
			ReactiveDispatch before = RESPONDING.get();
			RESPONDING.set(this.dispatch);
			try {
				return action.get();
			}
			finally {
				RESPONDING.set(before);
			}
		}

		/**
		 * Writes as the handler, also if whoever subscribes has lost Reactor's context.
		 */
		final Mono<Void> write(Supplier<Mono<Void>> action) {
			if (this.dispatch.run() == null) {
				return action.get();
			}
			Mono<Void> written = respond(action);
			return Mono.defer(() -> {
				this.dispatch.responding = true;
				return written;
			}).contextWrite((context) -> context.put(ReactiveExchange.KEY, this.dispatch));
		}

		@Override
		public boolean setStatusCode(@Nullable HttpStatusCode status) {
			return respond(() -> super.setStatusCode(status));
		}

		@Override
		public @Nullable HttpStatusCode getStatusCode() {
			return this.<@Nullable HttpStatusCode>respond(super::getStatusCode);
		}

		@Override
		public boolean setRawStatusCode(@Nullable Integer value) {
			return respond(() -> super.setRawStatusCode(value));
		}

		@Override
		public HttpHeaders getHeaders() {
			return respond(super::getHeaders);
		}

		@Override
		public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
			return write(() -> super.writeWith(body));
		}

		@Override
		public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			return write(() -> super.writeAndFlushWith(body));
		}

		@Override
		public Mono<Void> setComplete() {
			return write(super::setComplete);
		}

		@Override
		public ServerHttpResponse getDelegate() {
			ServerHttpResponse own = this.alone;
			return (own != null) ? own : super.getDelegate();
		}

	}

	/**
	 * A response that sends files without a copy.
	 */
	private static final class ZeroCopy extends HandlerResponse implements ZeroCopyHttpOutputMessage {

		private ZeroCopy(ServerHttpResponse delegate, ReactiveDispatch dispatch) {
			super(delegate, dispatch);
		}

		@Override
		public Mono<Void> writeWith(Path file, long position, long count) {
			return write(() -> ((ZeroCopyHttpOutputMessage) getDelegate()).writeWith(file, position, count));
		}

	}

}
