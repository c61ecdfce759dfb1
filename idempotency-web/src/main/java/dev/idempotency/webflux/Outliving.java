package dev.idempotency.webflux;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;

/**
 * Passes a source on to its subscriber, and may outlive it: when the subscriber cancels,
 * the owner decides whether the source continues alone. It is subscribed to once.
 *
 * @param <T> the type of its items
 */
final class Outliving<T> extends Flux<T> implements CoreSubscriber<T>, Subscription {

	private final Publisher<? extends T> source;

	private final Owner<? super T> owner;

	private @Nullable CoreSubscriber<? super T> actual;

	private volatile @Nullable Subscription upstream;

	/**
	 * Changed under the lock of this.
	 */
	private volatile State state = State.UNSUBSCRIBED;

	private boolean left;

	Outliving(Publisher<? extends T> source, Owner<? super T> owner) {
		this.source = source;
		this.owner = owner;
	}

	@Override
	public void subscribe(CoreSubscriber<? super T> actual) {
		this.actual = actual;
		try {
			this.source.subscribe(this);
		}
		catch (Throwable ex) {
			// Reactor throws fatal errors instead of signalling them
			this.owner.broken();
			throw ex;
		}
	}

	@Override
	public Context currentContext() {
		return actual().currentContext();
	}

	@Override
	public void onSubscribe(Subscription subscription) {
		boolean leaves;
		synchronized (this) {
			this.upstream = subscription;
			this.state = State.ATTACHED;
			leaves = this.left;
		}
		actual().onSubscribe(this);
		if (leaves) {
			cancel();
		}
	}

	@Override
	public void request(long count) {
		upstream().request(count);
	}

	@Override
	public void onNext(T item) {
		if (this.state == State.ATTACHED) {
			actual().onNext(item);
			return;
		}
		this.owner.discard(item);
		if (this.state == State.ALONE && !this.owner.goesOn()) {
			stop();
		}
	}

	@Override
	public void onComplete() {
		switch (end()) {
			case ATTACHED -> actual().onComplete();
			case ALONE -> this.owner.endedAlone(null);
			default -> {
				// It was stopped
			}
		}
	}

	@Override
	public void onError(Throwable failure) {
		switch (end()) {
			case ATTACHED -> actual().onError(failure);
			case ALONE -> this.owner.endedAlone(failure);
			default -> {
				// It was stopped
			}
		}
	}

	/**
	 * The subscriber no longer reads it, whether it has subscribed yet or not.
	 */
	@Override
	public void cancel() {
		synchronized (this) {
			this.left = true;
			if (this.state != State.ATTACHED) {
				return;
			}
			this.state = State.ALONE;
		}
		if (this.owner.goesOn()) {
			upstream().request(Long.MAX_VALUE);
		}
		else {
			stop();
		}
	}

	private void stop() {
		if (end() != State.ENDED) {
			upstream().cancel();
			this.owner.stopped();
		}
	}

	private synchronized State end() {
		State before = this.state;
		this.state = State.ENDED;
		return before;
	}

	boolean isSubscribed() {
		return this.state != State.UNSUBSCRIBED;
	}

	/**
	 * Whether it has ended, or was stopped.
	 */
	boolean isEnded() {
		return this.state == State.ENDED;
	}

	private CoreSubscriber<? super T> actual() {
		CoreSubscriber<? super T> subscriber = this.actual;
		if (subscriber == null) {
			throw new IllegalStateException("Not subscribed yet");
		}
		return subscriber;
	}

	private Subscription upstream() {
		Subscription subscription = this.upstream;
		if (subscription == null) {
			throw new IllegalStateException("Not subscribed yet");
		}
		return subscription;
	}

	/**
	 * Who subscribes to the source.
	 */
	private enum State {

		UNSUBSCRIBED, ATTACHED, ALONE, ENDED

	}

	/**
	 * Decides about a source without its subscriber.
	 *
	 * @param <T> the type of its items
	 */
	interface Owner<T> {

		/**
		 * Whether the source continues without its subscriber. Called when that cancels,
		 * and after each item that was discarded.
		 */
		boolean goesOn();

		/**
		 * An item has no subscriber.
		 */
		default void discard(T item) {
			// There is nothing to release
		}

		/**
		 * The source has ended without its subscriber.
		 */
		void endedAlone(@Nullable Throwable failure);

		/**
		 * The source was cancelled.
		 */
		default void stopped() {
			// There is nothing to end
		}

		/**
		 * The source has thrown an error that Reactor does not signal.
		 */
		default void broken() {
			// Nothing is left behind
		}

	}

}
