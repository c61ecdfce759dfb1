package dev.idempotency.webflux;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;

/**
 * Reads a body ahead, up to a limit. The rest of a larger body waits for its subscriber.
 * Buffers are released as soon as their bytes are copied.
 */
final class ReadAhead extends BaseSubscriber<DataBuffer> {

	private final MonoSink<Read> sink;

	private final int limit;

	/**
	 * Most bodies come in one buffer: the first array is no larger than that.
	 */
	private byte[] bytes = {};

	private int length;

	private volatile boolean over;

	/**
	 * Reads the rest.
	 */
	private final AtomicReference<@Nullable FluxSink<DataBuffer>> rest = new AtomicReference<>();

	/**
	 * The end of a body over the limit, which may come before its rest has a subscriber.
	 */
	private final Sinks.Empty<Void> end = Sinks.empty();

	private ReadAhead(MonoSink<Read> sink, int limit) {
		this.sink = sink;
		this.limit = limit;
	}

	/**
	 * Reads a body.
	 */
	static Mono<Read> of(Publisher<? extends DataBuffer> body, int limit) {
		return Mono.create((sink) -> {
			ReadAhead reader = new ReadAhead(sink, limit);
			sink.onCancel(() -> {
				// An operator that fails with a result cancels, and the rest must stay
				// readable
				if (!reader.over) {
					reader.cancel();
				}
			});
			body.subscribe(reader);
		});
	}

	/**
	 * Reads a body that no handler will read, up to a limit. This continues without its
	 * subscriber.
	 * @return completes at the end of the body, or at the limit
	 */
	static Mono<Void> discard(Publisher<DataBuffer> body, long limit) {
		AtomicLong left = new AtomicLong(limit);
		return Flux.from(body).limitRate(1).map((buffer) -> {
			int count = buffer.readableByteCount();
			DataBufferUtils.release(buffer);
			return left.addAndGet(-count);
		})
			.takeUntil((more) -> more < 0)
			.then()
			// The client has disconnected
			.onErrorComplete()
			.cache();
	}

	@Override
	public Context currentContext() {
		FluxSink<DataBuffer> next = this.rest.get();
		return Context.of((next != null) ? next.contextView() : this.sink.contextView());
	}

	@Override
	protected void hookOnSubscribe(Subscription subscription) {
		request(1);
	}

	@Override
	protected void hookOnNext(DataBuffer buffer) {
		FluxSink<DataBuffer> next = this.rest.get();
		if (next != null) {
			next.next(buffer);
			return;
		}
		try {
			append(buffer);
		}
		catch (Throwable ex) {
			cancel();
			this.sink.error(ex);
			return;
		}
		finally {
			DataBufferUtils.release(buffer);
		}
		if (this.length > this.limit) {
			this.over = true;
			this.sink.success(new Read(this.bytes, this.length, false, rest()));
		}
		else {
			request(1);
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
	protected void hookOnComplete() {
		if (this.over) {
			this.end.tryEmitEmpty();
		}
		else {
			this.sink.success(new Read(this.bytes, this.length, true, Flux.empty()));
		}
	}

	@Override
	protected void hookOnError(Throwable ex) {
		if (this.over) {
			this.end.tryEmitError(ex);
		}
		else {
			this.sink.error(ex);
		}
	}

	/**
	 * What was not read, as fast as it is requested.
	 */
	private Flux<DataBuffer> rest() {
		return Flux.<DataBuffer>create((next) -> {
			if (!this.rest.compareAndSet(null, next)) {
				next.error(new IllegalStateException("The rest of a body can be read once"));
				return;
			}
			next.onCancel(this::cancel);
			next.onRequest(this::request);
			this.end.asMono().subscribe(null, next::error, next::complete);
		}).doOnDiscard(DataBuffer.class, DataBufferUtils::release);
	}

	/**
	 * What was read.
	 *
	 * @param bytes its bytes, and more space
	 * @param length how many bytes it has
	 * @param isComplete whether this is the whole body
	 * @param rest the rest, which can be read once
	 */
	@SuppressWarnings("ArrayRecordComponent")
	record Read(byte[] bytes, int length, boolean isComplete, Flux<DataBuffer> rest) {

		/**
		 * The whole body: what was read, and the rest.
		 */
		Flux<DataBuffer> all() {
			Flux<DataBuffer> read = (this.length == 0) ? Flux.empty() : Flux
				.defer(() -> Flux.just(DefaultDataBufferFactory.sharedInstance
					.wrap((this.length == this.bytes.length) ? this.bytes : Arrays.copyOf(this.bytes, this.length))));
			return this.isComplete ? read : read.concatWith(this.rest);
		}

	}

}
