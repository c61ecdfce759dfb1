package dev.idempotency.webflux;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.HttpAnswer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;

/**
 * Carries a request and its response, and the decision about them: none yet, a handler
 * that runs under a claim, or a response that is known.
 */
final class ReactiveExchange {

	private static final Object UNDECIDED = new Object();

	private static final Object CLIENT_GONE = new Object();

	private final ReactiveRequest request;

	private final ReactiveResponse response;

	private final AtomicReference<Object> state = new AtomicReference<>(UNDECIDED);

	private volatile @Nullable IdempotencyException refusal;

	ReactiveExchange(ServerHttpRequest request, ServerHttpResponse response) {
		this.request = new ReactiveRequest(request);
		this.response = new ReactiveResponse(response);
	}

	/**
	 * The exchange in Reactor's context.
	 * @return {@code null} if the request did not come through the edge
	 */
	static @Nullable ReactiveExchange of(ContextView context) {
		return context.getOrDefault(ReactiveExchange.class, null);
	}

	ReactiveRequest request() {
		return this.request;
	}

	ReactiveResponse response() {
		return this.response;
	}

	boolean isUndecided() {
		return this.state.get() == UNDECIDED;
	}

	/**
	 * The handler that runs under a claim.
	 * @return {@code null} if none does
	 */
	@Nullable ReactiveRun run() {
		return (this.state.get() instanceof ReactiveRun run) ? run : null;
	}

	/**
	 * Lets a handler run, and records its response.
	 * @return {@code false} if the client has disconnected, or something else was decided
	 */
	boolean arm(ReactiveRun run) {
		if (!this.state.compareAndSet(UNDECIDED, run)) {
			return false;
		}
		this.request.outliveConnection();
		run.writeTo(this.response.isolateHeaders());
		this.response.handOver(run);
		return true;
	}

	/**
	 * Responds with what is known. What filters and handlers write is dropped.
	 */
	void answerWith(HttpAnswer answer) {
		if (this.state.compareAndSet(UNDECIDED, answer)) {
			this.response.handOver(new KnownAnswer(answer));
		}
	}

	void refused(IdempotencyException problem) {
		this.refusal = problem;
	}

	/**
	 * Whether this request was refused with the given problem.
	 */
	boolean isRefusal(IdempotencyException problem) {
		return this.refusal == problem;
	}

	/**
	 * The client has disconnected.
	 * @return whether the handling is to be cancelled
	 */
	boolean clientGone() {
		if (this.state.compareAndSet(UNDECIDED, CLIENT_GONE)) {
			return true;
		}
		ReactiveRun run = run();
		if (run == null) {
			return true;
		}
		run.clientGone();
		return false;
	}

	/**
	 * The handling has ended with an exception.
	 */
	Mono<Void> failed(Throwable failure) {
		ReactiveRun run = run();
		return ((run != null) ? run.failed() : Mono.<Void>empty()).then(Mono.error(failure));
	}

	/**
	 * The handling has ended.
	 */
	Mono<Void> ended() {
		ReactiveRun run = run();
		return (run != null && !run.isFinal()) ? run.end() : Mono.empty();
	}

	/**
	 * The end of the handling is never signalled.
	 */
	void abandoned() {
		ReactiveRun run = run();
		if (run != null) {
			run.letLeaseRunOut();
		}
	}

	/**
	 * An {@code HttpAnswer} that is sent when the response is completed.
	 */
	private final class KnownAnswer implements ReactiveResponse.Pen {

		private final HttpAnswer answer;

		private volatile boolean sent;

		private KnownAnswer(HttpAnswer answer) {
			this.answer = answer;
		}

		@Override
		public boolean isFinal() {
			return this.sent;
		}

		@Override
		public boolean keeps(Supplier<? extends Mono<Void>> action) {
			return false;
		}

		@Override
		public Mono<Void> write(Publisher<? extends DataBuffer> body) {
			return Flux.from(body).doOnNext(DataBufferUtils::release).then();
		}

		@Override
		public Mono<Void> writeAndFlush(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			return write(Flux.from(body).concatMap((part) -> part));
		}

		@Override
		public Mono<Void> end() {
			ServerHttpResponse server = ReactiveExchange.this.response.server();
			if (this.sent) {
				return server.setComplete();
			}
			this.sent = true;
			return ReactiveAnswers.send(this.answer, server);
		}

	}

}
