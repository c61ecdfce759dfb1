package dev.idempotency.webflux;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;

/**
 * Reads a body ahead, up to a limit. The rest of a larger body waits for its subscriber.
 * Buffers are released as soon as their bytes are copied.
 */
final class ReadAhead extends Mono<ReadAhead.Read> {

	private static final byte[] NOTHING = {};

	private final Publisher<? extends DataBuffer> source;

	private final int limit;

	ReadAhead(Publisher<? extends DataBuffer> source, int limit) {
		this.source = source;
		this.limit = limit;
	}

	@Override
	public void subscribe(CoreSubscriber<? super Read> actual) {
		this.source.subscribe(new Reader(actual, this.limit));
	}

	/**
	 * What was read.
	 */
	static final class Read {

		private final byte[] bytes;

		private final int length;

		private final @Nullable Reader reader;

		private Read(byte[] bytes, int length, @Nullable Reader reader) {
			this.bytes = bytes;
			this.length = length;
			this.reader = reader;
		}

		/**
		 * Whether the whole body was read.
		 */
		boolean isComplete() {
			return this.reader == null;
		}

		byte[] bytes() {
			return this.bytes;
		}

		int length() {
			return this.length;
		}

		/**
		 * The whole body: what was read, and the rest. One that is too large can be read
		 * once.
		 */
		Flux<DataBuffer> all() {
			Flux<DataBuffer> read = (this.length == 0) ? Flux.empty()
					: Flux.defer(() -> Flux.just(toBuffer(this.bytes, this.length)));
			if (this.reader == null) {
				return read;
			}
			Publisher<DataBuffer> rest = this.reader::goOn;
			return read.concatWith(rest);
		}

		/**
		 * What was not read.
		 */
		Publisher<DataBuffer> rest() {
			return (this.reader != null) ? this.reader::goOn : Flux.empty();
		}

	}

	/**
	 * Reads a body that no handler will read, up to a limit.
	 * @return completes at the end of the body, or at the limit
	 */
	static Mono<Void> discard(Publisher<DataBuffer> body, long limit) {
		return Mono.defer(() -> {
			Discarding discarding = new Discarding(limit);
			body.subscribe(discarding);
			return discarding.end();
		});
	}

	static DataBuffer toBuffer(byte[] bytes, int length) {
		return DefaultDataBufferFactory.sharedInstance
			.wrap((length == bytes.length) ? bytes : Arrays.copyOf(bytes, length));
	}

	private static final class Reader implements CoreSubscriber<DataBuffer>, Subscription {

		private final CoreSubscriber<? super Read> actual;

		private final int limit;

		private @Nullable Subscription upstream;

		/**
		 * Most bodies come in one buffer: the first array is no larger than that.
		 */
		private byte[] bytes = NOTHING;

		private int length;

		private volatile boolean over;

		/**
		 * Reads the rest. Guarded by this, as are the two below.
		 */
		private @Nullable CoreSubscriber<? super DataBuffer> rest;

		private boolean ended;

		private @Nullable Throwable failure;

		private Reader(CoreSubscriber<? super Read> actual, int limit) {
			this.actual = actual;
			this.limit = limit;
		}

		@Override
		public Context currentContext() {
			CoreSubscriber<? super DataBuffer> next = next();
			return (next != null) ? next.currentContext() : this.actual.currentContext();
		}

		@Override
		public void onSubscribe(Subscription subscription) {
			this.upstream = subscription;
			this.actual.onSubscribe(this);
		}

		@Override
		public void request(long count) {
			// One result, however many are requested
			upstream().request(1);
		}

		/**
		 * An operator that fails with a result cancels its source. The rest must stay
		 * readable.
		 */
		@Override
		public void cancel() {
			if (!this.over) {
				upstream().cancel();
			}
		}

		@Override
		public void onNext(DataBuffer buffer) {
			CoreSubscriber<? super DataBuffer> next = next();
			if (next != null) {
				next.onNext(buffer);
				return;
			}
			try {
				append(buffer);
			}
			catch (Throwable ex) {
				upstream().cancel();
				onError(ex);
				return;
			}
			finally {
				DataBufferUtils.release(buffer);
			}
			if (this.length > this.limit) {
				this.over = true;
				give(new Read(this.bytes, this.length, this));
			}
			else {
				upstream().request(1);
			}
		}

		private void append(DataBuffer buffer) {
			int count = buffer.readableByteCount();
			int needed = Math.addExact(this.length, count);
			if (needed > this.bytes.length) {
				this.bytes = Arrays.copyOf(this.bytes,
						Math.max(needed, (int) Math.min(2L * this.bytes.length, Integer.MAX_VALUE - 8)));
			}
			buffer.read(this.bytes, this.length, count);
			this.length = needed;
		}

		@Override
		public void onComplete() {
			if (!this.over) {
				give(new Read(this.bytes, this.length, null));
				return;
			}
			CoreSubscriber<? super DataBuffer> next;
			synchronized (this) {
				this.ended = true;
				next = this.rest;
			}
			if (next != null) {
				next.onComplete();
			}
		}

		@Override
		public void onError(Throwable ex) {
			if (!this.over) {
				this.over = true;
				this.actual.onError(ex);
				return;
			}
			CoreSubscriber<? super DataBuffer> next;
			synchronized (this) {
				this.ended = true;
				this.failure = ex;
				next = this.rest;
			}
			if (next != null) {
				next.onError(ex);
			}
		}

		private void give(Read read) {
			this.actual.onNext(read);
			this.actual.onComplete();
		}

		/**
		 * Continues with the rest.
		 */
		private void goOn(Subscriber<? super DataBuffer> subscriber) {
			CoreSubscriber<? super DataBuffer> next = Operators.toCoreSubscriber(subscriber);
			next.onSubscribe(new Rest(upstream(), () -> begin(next)));
		}

		private void begin(CoreSubscriber<? super DataBuffer> next) {
			boolean over;
			synchronized (this) {
				if (this.rest != null) {
					return;
				}
				this.rest = next;
				over = this.ended;
			}
			if (over) {
				Throwable reason = this.failure;
				if (reason != null) {
					next.onError(reason);
				}
				else {
					next.onComplete();
				}
			}
		}

		private synchronized @Nullable CoreSubscriber<? super DataBuffer> next() {
			return this.rest;
		}

		private Subscription upstream() {
			Subscription subscription = this.upstream;
			if (subscription == null) {
				throw new IllegalStateException("Not subscribed yet");
			}
			return subscription;
		}

	}

	/**
	 * Reads and discards.
	 */
	private static final class Discarding extends BaseSubscriber<DataBuffer> {

		private final Sinks.Empty<Void> end = Sinks.empty();

		private long left;

		private Discarding(long limit) {
			this.left = limit;
		}

		Mono<Void> end() {
			return this.end.asMono();
		}

		@Override
		protected void hookOnSubscribe(Subscription subscription) {
			request(1);
		}

		@Override
		protected void hookOnNext(DataBuffer buffer) {
			this.left -= buffer.readableByteCount();
			DataBufferUtils.release(buffer);
			if (this.left >= 0) {
				request(1);
			}
			else {
				cancel();
			}
		}

		@Override
		protected void hookOnError(Throwable ex) {
			// The client has disconnected
		}

		@Override
		protected void hookFinally(SignalType type) {
			this.end.tryEmitEmpty();
		}

	}

	/**
	 * The rest of a body, which is read from the first request on.
	 */
	private record Rest(Subscription upstream, Runnable begin) implements Subscription {

		@Override
		public void request(long count) {
			this.begin.run();
			this.upstream.request(count);
		}

		@Override
		public void cancel() {
			this.upstream.cancel();
		}

	}

}
