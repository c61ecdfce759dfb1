package dev.idempotency.webflux;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * A body that is sent to the client, and continues without it as long as that is useful.
 * It is subscribed to once.
 *
 * @param <T> the type of its parts
 */
final class UntiedFlux<T> extends Flux<T> {

	private static final Logger logger = LoggerFactory.getLogger(UntiedFlux.class);

	private final Flux<T> source;

	private final Consumer<T> release;

	private final BooleanSupplier goesOn;

	private final Runnable stopped;

	private final Sinks.Empty<Void> endedAlone = Sinks.empty();

	private volatile @Nullable Link link;

	private volatile boolean untied;

	/**
	 * Create a body.
	 * @param release releases parts that are not read
	 * @param goesOn whether it is useful without its client
	 * @param stopped called when it is stopped because it is not
	 */
	UntiedFlux(Flux<T> source, Consumer<T> release, BooleanSupplier goesOn, Runnable stopped) {
		this.source = source;
		this.release = release;
		this.goesOn = goesOn;
		this.stopped = stopped;
	}

	@Override
	public void subscribe(CoreSubscriber<? super T> actual) {
		Link made = new Link(actual);
		this.link = made;
		this.source.subscribe(made);
		if (this.untied) {
			made.untie();
		}
	}

	/**
	 * The client no longer reads it.
	 */
	void untie() {
		this.untied = true;
		Link made = this.link;
		if (made != null) {
			made.untie();
		}
	}

	/**
	 * Continues without its client, also if it has no subscriber yet.
	 */
	void goOnAlone() {
		untie();
		if (this.link == null) {
			subscribe(new BaseSubscriber<T>() {

				@Override
				protected void hookOnNext(T item) {
					UntiedFlux.this.release.accept(item);
				}

				@Override
				protected void hookOnError(Throwable ex) {
					logger.debug("A response failed after its client had disconnected", ex);
				}

			});
		}
	}

	/**
	 * Whether it has ended, or was stopped.
	 */
	boolean isDone() {
		Link made = this.link;
		return made != null && made.done;
	}

	/**
	 * Whether it continues, or has continued, without its client.
	 */
	boolean isUntied() {
		return this.untied;
	}

	/**
	 * Completes when the body has ended without its client.
	 */
	Mono<Void> endedAlone() {
		return this.endedAlone.asMono();
	}

	private final class Link implements CoreSubscriber<T>, Subscription {

		private final CoreSubscriber<? super T> actual;

		private @Nullable Subscription upstream;

		private volatile boolean alone;

		private volatile boolean done;

		private Link(CoreSubscriber<? super T> actual) {
			this.actual = actual;
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
		public void onNext(T item) {
			if (!this.alone) {
				this.actual.onNext(item);
				return;
			}
			UntiedFlux.this.release.accept(item);
			if (!UntiedFlux.this.goesOn.getAsBoolean()) {
				stop();
			}
		}

		@Override
		public void onComplete() {
			this.done = true;
			if (this.alone) {
				UntiedFlux.this.endedAlone.tryEmitEmpty();
			}
			else {
				this.actual.onComplete();
			}
		}

		@Override
		public void onError(Throwable ex) {
			this.done = true;
			if (this.alone) {
				logger.debug("A response failed after its client had disconnected", ex);
				UntiedFlux.this.endedAlone.tryEmitEmpty();
			}
			else {
				this.actual.onError(ex);
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
			UntiedFlux.this.untied = true;
			untie();
		}

		private void untie() {
			synchronized (this) {
				if (this.alone || this.done || this.upstream == null) {
					return;
				}
				this.alone = true;
			}
			if (UntiedFlux.this.goesOn.getAsBoolean()) {
				request(Long.MAX_VALUE);
			}
			else {
				stop();
			}
		}

		private void stop() {
			synchronized (this) {
				if (this.done) {
					return;
				}
				this.done = true;
			}
			Subscription subscription = this.upstream;
			if (subscription != null) {
				subscription.cancel();
			}
			try {
				UntiedFlux.this.stopped.run();
			}
			finally {
				UntiedFlux.this.endedAlone.tryEmitEmpty();
			}
		}

	}

}
