package dev.idempotency.webflux;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;

/**
 * Carries unsafe requests through the application, around all filters and error handlers.
 * A client that disconnects cancels everything, unless a protected handler runs. The
 * handler continues, and its response is stored for the retry.
 */
final class IdempotencyHttpHandler implements HttpHandler {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyHttpHandler.class);

	private final HttpHandler delegate;

	IdempotencyHttpHandler(HttpHandler delegate) {
		this.delegate = delegate;
	}

	@Override
	public Mono<Void> handle(ServerHttpRequest request, ServerHttpResponse response) {
		if (isSafe(request.getMethod())) {
			return this.delegate.handle(request, response);
		}
		ReactiveExchange exchange = new ReactiveExchange(request, response);
		Mono<Void> handled = this.delegate.handle(exchange.request(), exchange.response())
			.onErrorResume(exchange::failed)
			.then(Mono.defer(exchange::ended))
			.contextWrite((context) -> new CurrentOperation().in(context.put(ReactiveExchange.class, exchange)));
		return new Carried(handled, exchange);
	}

	/**
	 * Whether requests are safe to repeat as they are.
	 */
	static boolean isSafe(HttpMethod method) {
		return switch (method.name()) {
			case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
			default -> false;
		};
	}

	/**
	 * Handling that is not always cancelled together with its client.
	 */
	private static final class Carried extends Mono<Void> {

		private final Mono<Void> source;

		private final ReactiveExchange exchange;

		private Carried(Mono<Void> source, ReactiveExchange exchange) {
			this.source = source;
			this.exchange = exchange;
		}

		@Override
		public void subscribe(CoreSubscriber<? super Void> actual) {
			try {
				this.source.subscribe(new Tie(actual, this.exchange));
			}
			catch (Throwable ex) {
				// Reactor throws fatal errors instead of signalling them
				this.exchange.abandoned();
				throw ex;
			}
		}

	}

	private static final class Tie implements CoreSubscriber<Void>, Subscription {

		private final CoreSubscriber<? super Void> actual;

		private final ReactiveExchange exchange;

		private volatile @Nullable Subscription upstream;

		private volatile boolean gone;

		private Tie(CoreSubscriber<? super Void> actual, ReactiveExchange exchange) {
			this.actual = actual;
			this.exchange = exchange;
		}

		@Override
		public Context currentContext() {
			return this.actual.currentContext();
		}

		@Override
		public void onSubscribe(Subscription subscription) {
			this.upstream = subscription;
			this.actual.onSubscribe(this);
		}

		@Override
		public void onNext(Void nothing) {
			// There is none
		}

		@Override
		public void onError(Throwable ex) {
			if (this.gone) {
				logger.debug("A request failed after its client had disconnected", ex);
			}
			else {
				this.actual.onError(ex);
			}
		}

		@Override
		public void onComplete() {
			if (!this.gone) {
				this.actual.onComplete();
			}
		}

		@Override
		public void request(long count) {
			Subscription subscription = this.upstream;
			if (subscription != null) {
				subscription.request(count);
			}
		}

		@Override
		public void cancel() {
			this.gone = true;
			Subscription subscription = this.upstream;
			if (this.exchange.clientGone() && subscription != null) {
				subscription.cancel();
			}
		}

	}

}
