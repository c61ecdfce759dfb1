package dev.idempotency.webflux;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;

/**
 * Parts of a response, each of which is flushed. A server whose client has disconnected
 * drops the parts that it was given. Their buffers are released here.
 */
final class FlushedParts {

	private final Queue<Part> handedOut = new ConcurrentLinkedQueue<>();

	private volatile boolean over;

	/**
	 * Makes a part of what is to be flushed.
	 */
	Mono<Part> collect(Publisher<? extends DataBuffer> buffers) {
		return Flux.<DataBuffer>from(buffers).collectList().map(Part::new);
	}

	/**
	 * Gives a part to the server.
	 */
	Flux<DataBuffer> handOut(Part part) {
		this.handedOut.add(part);
		if (this.over) {
			part.release();
		}
		return part.take();
	}

	/**
	 * The server takes no more parts: releases those that it has not taken.
	 */
	void releaseAll() {
		this.over = true;
		this.handedOut.forEach(Part::release);
	}

	/**
	 * Buffers that are flushed together.
	 */
	final class Part {

		private final List<DataBuffer> buffers;

		private final AtomicBoolean taken = new AtomicBoolean();

		private Part(List<DataBuffer> buffers) {
			this.buffers = buffers;
		}

		List<DataBuffer> buffers() {
			return this.buffers;
		}

		/**
		 * Leaves only the last byte here.
		 * @return the rest, or {@code null} if there is none
		 */
		@Nullable Part splitLastByte() {
			int last = this.buffers.size() - 1;
			while (last > 0 && this.buffers.get(last).readableByteCount() == 0) {
				last--;
			}
			DataBuffer end = this.buffers.get(last);
			List<DataBuffer> head = new ArrayList<>(this.buffers.subList(0, last));
			if (end.readableByteCount() > 1) {
				head.add(end.split(end.writePosition() - 1));
			}
			if (head.isEmpty()) {
				return null;
			}
			this.buffers.subList(0, last).clear();
			return new Part(head);
		}

		/**
		 * The buffers, unless they were taken or released before.
		 */
		private Flux<DataBuffer> take() {
			return Flux.defer(() -> isFirst() ? Flux.fromIterable(this.buffers) : Flux.<DataBuffer>empty())
				.doOnDiscard(DataBuffer.class, DataBufferUtils::release);
		}

		void release() {
			if (isFirst()) {
				this.buffers.forEach(DataBufferUtils::release);
			}
		}

		private boolean isFirst() {
			if (!this.taken.compareAndSet(false, true)) {
				return false;
			}
			FlushedParts.this.handedOut.remove(this);
			return true;
		}

	}

}
