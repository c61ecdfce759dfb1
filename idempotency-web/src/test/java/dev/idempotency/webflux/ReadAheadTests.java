package dev.idempotency.webflux;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferWrapper;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.core.io.buffer.PooledDataBuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A body that is read ahead of its handler: nothing is lost, left over or asked for too
 * early.
 */
class ReadAheadTests {

	private final Queue<Counted> buffers = new ConcurrentLinkedQueue<>();

	private final AtomicLong requested = new AtomicLong();

	@Test
	void readsABodyWithinTheLimit() {
		ReadAhead.Read read = read(body(3), 30);
		assertThat(read.isComplete()).isTrue();
		assertThat(read.length()).isEqualTo(30);
		for (int i = 0; i < 2; i++) {
			assertThat(text(read.all())).isEqualTo(expected(0, 3));
		}
		assertAllReleased(3);
	}

	@Test
	void readsNoMoreOfALargerBodyThanItsReaderRequests() {
		ReadAhead.Read read = read(body(10), 25);
		assertThat(read.isComplete()).isFalse();
		assertThat(this.requested).hasValue(3);
		StringBuilder rest = new StringBuilder();
		BaseSubscriber<DataBuffer> reader = new BaseSubscriber<>() {
			@Override
			protected void hookOnSubscribe(Subscription subscription) {
				// One by one, below
			}

			@Override
			protected void hookOnNext(DataBuffer buffer) {
				rest.append(textOf(buffer));
			}
		};
		read.rest().subscribe(reader);
		for (int i = 4; i < 8; i++) {
			reader.request(1);
			assertThat(this.requested).hasValue(i);
			assertThat(rest).hasToString(expected(3, i));
		}
		reader.cancel();
		assertAllReleased(7);
	}

	@Test
	void losesNothingOnOtherThreads() {
		ReadAhead.Read read = read(body(1_000).publishOn(Schedulers.parallel()), 25);
		assertThat(text(read.all().publishOn(Schedulers.parallel(), 4))).isEqualTo(expected(0, 1_000));
		assertAllReleased(1_000);
	}

	@Test
	void remembersHowALargerBodyEnded() {
		assertThat(text(read(body(3), 25).all())).isEqualTo(expected(0, 3));
		ReadAhead.Read broken = read(body(3).concatWith(Mono.error(new IllegalStateException("broken off"))), 25);
		assertThatIllegalStateException().isThrownBy(() -> text(broken.all())).withMessage("broken off");
		assertAllReleased(6);
	}

	@Test
	void readsTheRestOnce() {
		ReadAhead.Read read = read(body(4), 25);
		assertThat(text(read.all())).isEqualTo(expected(0, 4));
		assertThatIllegalStateException().isThrownBy(() -> text(read.all()));
	}

	@Test
	void leavesTheRestToAnErrorHandler() {
		AtomicReference<ReadAhead.@Nullable Read> refused = new AtomicReference<>();
		assertThatIllegalStateException().isThrownBy(() -> ReadAhead.of(body(5), 25).flatMap((read) -> {
			refused.set(read);
			return Mono.error(new IllegalStateException("too large"));
		}).block());
		ReadAhead.Read read = refused.get();
		assertThat(read).isNotNull();
		assertThat(text(read.all())).isEqualTo(expected(0, 5));
	}

	@Test
	void endsWithItsReader() {
		Sinks.Many<DataBuffer> body = Sinks.many().unicast().onBackpressureBuffer();
		ReadAhead.of(body.asFlux(), 25).subscribe().dispose();
		assertThat(body.tryEmitNext(buffer(0))).isEqualTo(Sinks.EmitResult.FAIL_CANCELLED);
	}

	@Test
	void discardsUpToALimitAlsoWithoutItsSubscriber() {
		ReadAhead.discard(body(10), 45).block();
		assertAllReleased(5);
		Sinks.Many<DataBuffer> body = Sinks.many().unicast().onBackpressureBuffer();
		ReadAhead.discard(body.asFlux(), 100).subscribe().dispose();
		body.tryEmitNext(buffer(5));
		assertAllReleased(6);
	}

	private static ReadAhead.Read read(Flux<DataBuffer> body, int limit) {
		ReadAhead.Read read = ReadAhead.of(body, limit).block();
		assertThat(read).isNotNull();
		return read;
	}

	private Flux<DataBuffer> body(int count) {
		return Flux.range(0, count).map(this::buffer).doOnRequest(this.requested::addAndGet);
	}

	private DataBuffer buffer(int number) {
		Counted buffer = new Counted("%09d ".formatted(number));
		this.buffers.add(buffer);
		return buffer;
	}

	private static String expected(int from, int to) {
		StringBuilder text = new StringBuilder();
		for (int i = from; i < to; i++) {
			text.append("%09d ".formatted(i));
		}
		return text.toString();
	}

	private static String text(Flux<DataBuffer> body) {
		List<String> texts = body.map(ReadAheadTests::textOf).collectList().block();
		assertThat(texts).isNotNull();
		return String.join("", texts);
	}

	private static String textOf(DataBuffer buffer) {
		String text = buffer.toString(StandardCharsets.UTF_8);
		if (buffer instanceof Counted counted) {
			counted.release();
		}
		return text;
	}

	private void assertAllReleased(int count) {
		assertThat(this.buffers).hasSize(count).allMatch((buffer) -> !buffer.isAllocated());
	}

	private static final class Counted extends DataBufferWrapper implements PooledDataBuffer {

		private volatile boolean released;

		private Counted(String text) {
			super(DefaultDataBufferFactory.sharedInstance.wrap(text.getBytes(StandardCharsets.UTF_8)));
		}

		@Override
		public boolean isAllocated() {
			return !this.released;
		}

		@Override
		public PooledDataBuffer retain() {
			throw new UnsupportedOperationException();
		}

		@Override
		public PooledDataBuffer touch(Object hint) {
			return this;
		}

		@Override
		public boolean release() {
			assertThat(this.released).as("released before").isFalse();
			this.released = true;
			return true;
		}

	}

}
