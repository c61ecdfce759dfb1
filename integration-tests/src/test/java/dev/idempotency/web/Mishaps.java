package dev.idempotency.web;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import dev.idempotency.core.StoreVerb;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * What happens to requests of an application, on either stack: to one of each kind of
 * handler at a time. And what others ask for meanwhile, which nobody protects.
 */
@RestController
class Mishaps {

	private final Map<String, Cell> kinds = new ConcurrentHashMap<>();

	private final Map<String, Cell> keys = new ConcurrentHashMap<>();

	@Bean
	Executions executions() {
		return new Executions((kind) -> {
			Cell cell = this.kinds.get(kind);
			if (cell != null) {
				cell.work();
			}
		}, (kind) -> {
			Cell cell = this.kinds.get(kind);
			return cell != null && cell.mishap.held == Point.WORK;
		});
	}

	@Bean
	ResponsePolicy policy() {
		return (request, status) -> {
			request.headers("Idempotency-Key").forEach((key) -> of(key).decide());
			return ResponsePolicy.finalAnswers().shouldStore(request, status);
		};
	}

	void begin(Cell cell) {
		this.kinds.put(cell.kind, cell);
		this.keys.put(cell.key, cell);
	}

	/**
	 * What happens to the requests with a key.
	 */
	Cell of(@Nullable String key) {
		Cell cell = (key != null) ? this.keys.get(key) : null;
		return (cell != null) ? cell : Cell.ORDINARY;
	}

	Fault fault(StoreVerb verb, String key) {
		return of(key).fault(verb);
	}

	@PostMapping("/neighbours/whole/{name}")
	ResponseEntity<String> whole(@PathVariable String name, @RequestHeader("X-Name") String header,
			@RequestBody String body) {
		return ResponseEntity.accepted().header("X-Name", header).body(name + "|" + body);
	}

	@PostMapping(path = "/neighbours/streamed/{name}", produces = MediaType.TEXT_PLAIN_VALUE)
	ResponseEntity<Flux<String>> stream(@PathVariable String name, @RequestHeader("X-Name") String header,
			@RequestBody String body) {
		return ResponseEntity.accepted()
			.header("X-Name", header)
			.body(Flux.just(name, "|", body).delayElements(Duration.ofMillis(1)));
	}

	/**
	 * A filter around the handler.
	 */
	enum Around {

		NOTHING, SPRING_SECURITY, BUFFERS, BUFFERS_OUTSIDE, TRIES_AGAIN, TRIES_AGAIN_OUTSIDE, DISPATCHES_AGAIN

	}

	/**
	 * Where a request is held until the test lets it go.
	 */
	enum Point {

		FILTER, CLAIM, WORK, COMPLETION

	}

	/**
	 * What happens to a request.
	 */
	enum Mishap {

		NOTHING, WAITS_FOR_CLAIM(Point.CLAIM), WORKS_LONG(Point.WORK), WAITS_FOR_COMPLETION(Point.COMPLETION),

		LEAVES_IN_FILTER(Point.FILTER), LEAVES_BEFORE_CLAIM(Point.CLAIM), LEAVES_AT_WORK(Point.WORK),
		LEAVES_BEFORE_COMPLETION(Point.COMPLETION), LEAVES_READING, LEAVES_ANY_TIME,
		LEAVES_AND_FAILS(Point.WORK, () -> new IllegalStateException("as planned")),

		FAILS(() -> new IllegalStateException("as planned")),
		FAILS_AS_ADVISED(() -> new HandlerKinds.AdvisedException("as planned")),
		FAILS_WITH_ERROR(() -> new AssertionError("as planned")),
		FAILS_TO_LINK(() -> new NoClassDefFoundError("as planned")),
		FAILS_TO_RELEASE(() -> new IllegalStateException("as planned"), StoreVerb.RELEASE, Fault.BEFORE),

		CLAIM_FAILS(StoreVerb.CLAIM, Fault.BEFORE), CLAIM_IS_LOST(StoreVerb.CLAIM, Fault.AFTER),
		COMPLETION_FAILS(StoreVerb.COMPLETE, Fault.BEFORE), COMPLETION_IS_LOST(StoreVerb.COMPLETE, Fault.AFTER),
		COMPLETION_ERROR(StoreVerb.COMPLETE, Fault.ERROR_BEFORE), POLICY_ERROR,

		TIMES_OUT(Point.WORK), TIMES_OUT_AND_FAILS(Point.WORK, () -> new IllegalStateException("as planned"));

		private final @Nullable Point held;

		@SuppressWarnings("ImmutableEnumChecker")
		private final @Nullable Supplier<Throwable> failure;

		private final @Nullable StoreVerb verb;

		private final Fault fault;

		Mishap() {
			this(null, null, null, Fault.NONE);
		}

		Mishap(Point held) {
			this(held, null, null, Fault.NONE);
		}

		Mishap(Supplier<Throwable> failure) {
			this(null, failure, null, Fault.NONE);
		}

		Mishap(Point held, Supplier<Throwable> failure) {
			this(held, failure, null, Fault.NONE);
		}

		Mishap(StoreVerb verb, Fault fault) {
			this(null, null, verb, fault);
		}

		Mishap(Supplier<Throwable> failure, StoreVerb verb, Fault fault) {
			this(null, failure, verb, fault);
		}

		Mishap(@Nullable Point held, @Nullable Supplier<Throwable> failure, @Nullable StoreVerb verb, Fault fault) {
			this.held = held;
			this.failure = failure;
			this.verb = verb;
			this.fault = fault;
		}

		@Nullable Point held() {
			return this.held;
		}

		boolean fails() {
			return this.failure != null;
		}

		boolean leaves() {
			return name().startsWith("LEAVES");
		}

		boolean timesOut() {
			return name().startsWith("TIMES_OUT");
		}

		/**
		 * Whether the key is settled with an error.
		 */
		boolean endsInError() {
			return this == COMPLETION_ERROR || this == POLICY_ERROR;
		}

	}

	/**
	 * A kind of handler, a filter and a mishap, which meet under one key.
	 */
	static final class Cell {

		private static final Cell ORDINARY = new Cell("", Around.NOTHING, Mishap.NOTHING);

		private final String kind;

		private final Around around;

		private final Mishap mishap;

		private final String key = TestServer.newKey();

		private final Gates gates = new Gates();

		private final AtomicInteger running = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		private final AtomicInteger runs = new AtomicInteger();

		private final AtomicInteger failures = new AtomicInteger();

		private final AtomicInteger faults = new AtomicInteger();

		private final AtomicBoolean timed = new AtomicBoolean();

		Cell(String kind, Around around, Mishap mishap) {
			this.kind = kind;
			this.around = around;
			this.mishap = mishap;
		}

		String kind() {
			return this.kind;
		}

		Around around() {
			return this.around;
		}

		Mishap mishap() {
			return this.mishap;
		}

		String key() {
			return this.key;
		}

		/**
		 * How many runs there were at the same time.
		 */
		int together() {
			return this.most.get();
		}

		int failures() {
			return this.failures.get();
		}

		int successes() {
			return this.runs.get() - this.failures.get();
		}

		/**
		 * Whether the first of its requests is to time out.
		 */
		boolean isTimed() {
			return this.mishap.timesOut() && this.timed.compareAndSet(false, true);
		}

		void hold(Point point) {
			if (this.mishap.held == point) {
				this.gates.open("reached");
				this.gates.await("open");
			}
		}

		void awaitHeld() {
			if (this.mishap.held != null) {
				this.gates.await("reached");
			}
		}

		/**
		 * The server knows that the client has left.
		 */
		void left() {
			this.gates.open("left");
		}

		void awaitLeft() {
			this.gates.await("left");
		}

		void letGo() {
			this.gates.open("open");
		}

		private Fault fault(StoreVerb verb) {
			if (verb == StoreVerb.CLAIM) {
				hold(Point.CLAIM);
			}
			if (verb == StoreVerb.COMPLETE) {
				hold(Point.COMPLETION);
			}
			return (verb == this.mishap.verb && this.faults.getAndIncrement() == 0) ? this.mishap.fault : Fault.NONE;
		}

		private void decide() {
			if (this.mishap == Mishap.POLICY_ERROR && this.faults.getAndIncrement() == 0) {
				throw new AssertionError("as planned");
			}
		}

		private void work() {
			this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			try {
				boolean first = this.runs.incrementAndGet() == 1;
				hold(Point.WORK);
				if (first && this.mishap.failure != null) {
					this.failures.incrementAndGet();
					throwAs(this.mishap.failure.get());
				}
			}
			finally {
				this.running.decrementAndGet();
			}
		}

		private static void throwAs(Throwable failure) {
			if (failure instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) failure;
		}

		@Override
		public String toString() {
			return "%s, %s, %s".formatted(this.kind, this.around, this.mishap);
		}

	}

}
