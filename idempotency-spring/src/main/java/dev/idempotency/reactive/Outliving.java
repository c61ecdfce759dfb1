package dev.idempotency.reactive;

import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;

/**
 * Passes a source on to its subscriber, and may outlive it: when the subscriber cancels,
 * the owner decides whether the source continues alone. It is subscribed to once. The
 * edges of this library use it; it is no API for applications.
 *
 * @param <T> the type of its items
 */
public final class Outliving<T> extends Flux<T> implements CoreSubscriber<T>, Subscription {

	private final Publisher<? extends T> source;

	private final Owner<? super T> owner;

	private @Nullable CoreSubscriber<? super T> actual;

	private volatile @Nullable Subscription upstream;

	/**
	 * Changed under the lock of this.
	 */
	private volatile State state = State.UNSUBSCRIBED;

	private boolean left;

	/**
	 * Create an operator.
	 * @param owner decides whether the source continues without its subscriber
	 */
	public Outliving(Publisher<? extends T> source, Owner<? super T> owner) {
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
		State before = end();
		if (before == State.ATTACHED) {
			actual().onComplete();
		}
		else if (before == State.ALONE) {
			this.owner.endedAlone(null);
		}
	}

	@Override
	public void onError(Throwable failure) {
		State before = end();
		if (before == State.ATTACHED) {
			actual().onError(failure);
		}
		else if (before == State.ALONE) {
			this.owner.endedAlone(failure);
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

	/**
	 * Whether the source has begun.
	 */
	public boolean isSubscribed() {
		return this.state != State.UNSUBSCRIBED;
	}

	/**
	 * Whether the source has ended, or was stopped.
	 */
	public boolean isEnded() {
		return this.state == State.ENDED;
	}

	private CoreSubscriber<? super T> actual() {
		return Objects.requireNonNull(this.actual, "not subscribed yet");
	}

	private Subscription upstream() {
		return Objects.requireNonNull(this.upstream, "not subscribed yet");
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
	public interface Owner<T> {

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
