package dev.idempotency.webflux;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.http.AnswerBody;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer.Delivery;
import dev.idempotency.http.HandlerTransaction;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.KeptHeaders;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ReplayedAnswer;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.http.Settlement;
import dev.idempotency.http.Settlement.End;
import dev.idempotency.reactive.Outliving;
import dev.idempotency.reactive.ReactiveEngine;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.ServerWebExchange;

/**
 * A handler that runs under a claim, from the claim to the response. A final response is
 * stored, and then sent. One that is written piece by piece streams until the last byte,
 * which waits for the store. The handler continues when its client disconnects. Its key
 * is settled once: completed with the response, completed without it, or released.
 */
final class ReactiveRun implements IdempotencyContext {

	private static final Logger logger = LoggerFactory.getLogger(ReactiveRun.class);

	private static final Cleaner CLEANER = Cleaner.create();

	/**
	 * How long an event stream without a client may take until its first event.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final ReactiveExchange exchange;

	private final ExchangeFacts facts;

	private final ServerWebExchange webExchange;

	private final ProtectedOperation operation;

	private final Object handler;

	private final Execution execution;

	private final Settlement settlement;

	private final Steps steps;

	private final ReactiveEngine engine;

	private final Rules rules;

	// What the handler says

	private volatile @Nullable ResponseHead head;

	private volatile Effect effect;

	private volatile boolean handlerReached = true;

	/**
	 * The actions that run before the response is sent. What they write belongs to the
	 * response.
	 */
	private final Queue<Supplier<? extends Mono<Void>>> beforeCommit = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean actionsRun = new AtomicBoolean();

	private volatile @Nullable Throwable handlerFailure;

	/**
	 * Tells of a failure whether a route had done its work before.
	 */
	private volatile @Nullable Predicate<Throwable> returned;

	// What happens to the key

	/**
	 * Whether the key is settled, or its execution is about to settle it.
	 */
	private final AtomicBoolean settled = new AtomicBoolean();

	private volatile Cleaner.@Nullable Cleanable lifeline;

	// What happens to the response

	/**
	 * Whether there is a response, which is complete or streams.
	 */
	private volatile boolean answered;

	/**
	 * Whether the actions before the response can no longer change its head.
	 */
	private volatile boolean headRead;

	/**
	 * Guarded by this, as is the next.
	 */
	private boolean clientGone;

	private boolean sending;

	private final Sinks.Empty<Void> clientLeaves = Sinks.empty();

	/**
	 * The event stream that may not have begun yet, if there is one.
	 */
	private volatile @Nullable SilentStream silent;

	/**
	 * The body that streams to the client, if one does.
	 */
	private volatile @Nullable StreamedBody streamed;

	ReactiveRun(ReactiveExchange exchange, ExchangeFacts facts, ProtectedOperation operation, Object handler,
			Execution execution, Function<IdempotencyContext, Steps> steps, ReactiveEngine engine, Rules rules,
			@Nullable Instant expires) {
		this.exchange = exchange;
		this.facts = facts;
		this.webExchange = facts.nativeRequest();
		this.operation = operation;
		this.handler = handler;
		this.execution = execution;
		this.settlement = new Settlement(operation, execution, HandlerTransaction.NONE, expires);
		this.engine = engine;
		this.rules = rules;
		this.effect = operation.effect();
		this.steps = steps.apply(this);
	}

	/**
	 * Keeps the head that the handler writes to.
	 */
	void writeTo(ResponseHead head) {
		this.head = head;
	}

	/**
	 * Ends the claim when a pipeline can no longer end: an error that Reactor throws
	 * instead of signalling it leaves nothing behind that refers to the pipeline.
	 */
	void endsWith(Object pipeline) {
		Execution claimed = this.execution;
		AtomicBoolean done = this.settled;
		this.lifeline = CLEANER.register(pipeline, () -> {
			if (!done.get()) {
				claimed.letLeaseRunOut();
			}
		});
	}

	// The context of the handler

	@Override
	public IdempotencyKey key() {
		return this.execution.key();
	}

	@Override
	public int attempt() {
		return this.execution.attempt();
	}

	@Override
	public void effect(Effect effect) {
		this.effect = effect;
	}

	@Override
	public void doNotStore() {
		this.settlement.doNotStore();
	}

	@Override
	public void outcomeUnknown() {
		this.settlement.outcomeUnknown();
	}

	@Override
	public Steps steps() {
		return this.steps;
	}

	// How the handler ends

	/**
	 * The handler did not begin: there is nothing to store.
	 */
	void handlerNotReached() {
		this.handlerReached = false;
		this.settlement.doNotStore();
	}

	/**
	 * The value that the handler returned has failed.
	 */
	void valueFailed(Throwable failure) {
		this.handlerFailure = failure;
		handlerFailed(failure);
	}

	/**
	 * The handler has failed.
	 */
	void handlerFailed(Throwable failure) {
		if (this.handlerReached) {
			this.settlement.handlerFailed(failure);
		}
	}

	/**
	 * The function of a route has returned.
	 */
	void returned(Predicate<Throwable> unwritable) {
		this.returned = unwritable;
	}

	/**
	 * The handler has done its work, but its result cannot be written: it must not run
	 * again.
	 */
	void responseIsUnwritable() {
		this.settlement.resultIsUnwritable();
	}

	/**
	 * Whether the handler failed with an exception, or with one of its causes.
	 */
	boolean isFailureOfHandler(Throwable failure) {
		Throwable known = this.handlerFailure;
		for (Throwable cause = failure; known != null && cause != null; cause = cause.getCause()) {
			if (cause == known) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Spring has not handled an exception. Whatever response is written for it is not the
	 * handler's, and is stored only if failures are. An exception that defines its own
	 * response counts as handled.
	 */
	void failedUnhandled(Throwable failure) {
		handlerFailed(failure);
		Predicate<Throwable> value = this.returned;
		if (value != null && value.test(failure)) {
			this.settlement.resultIsUnwritable();
		}
		boolean response = failure instanceof ErrorResponse
				|| AnnotatedElementUtils.hasAnnotation(failure.getClass(), ResponseStatus.class);
		if (!response && !this.answered && !this.settlement.countsFailures() && !this.settlement.isUnwritable()) {
			this.settlement.doNotStore();
		}
	}

	/**
	 * The handling has ended with an exception. The response, if there is one, stays
	 * incomplete.
	 */
	Mono<Void> failed() {
		StreamedBody body = this.streamed;
		if (body != null && body.isLeft()) {
			// It ends alone
			return Mono.empty();
		}
		this.answered = true;
		return settleFailure().then();
	}

	// What happens to the client

	/**
	 * The client has disconnected, or gets another response.
	 * @return whether nothing of this one was sent
	 */
	boolean leave() {
		boolean unsent;
		synchronized (this) {
			this.clientGone = true;
			unsent = !this.sending;
		}
		this.clientLeaves.tryEmitEmpty();
		SilentStream waiting = this.silent;
		if (waiting != null) {
			waiting.leave();
		}
		StreamedBody body = this.streamed;
		if (body != null) {
			body.leave();
		}
		return unsent;
	}

	private synchronized boolean isClientGone() {
		return this.clientGone;
	}

	/**
	 * Begins to send the response, unless nobody gets it.
	 */
	private synchronized boolean beginsToSend() {
		this.sending = !this.clientGone;
		return this.sending;
	}

	// What is written

	/**
	 * Whether the response can no longer be changed.
	 */
	boolean isFinal() {
		return this.answered;
	}

	/**
	 * Takes over an action that runs before the response is sent.
	 * @return whether it does
	 */
	boolean keeps(Supplier<? extends Mono<Void>> action) {
		return !this.answered && this.beforeCommit.add(action);
	}

	private void answerAgain() {
		this.headRead = false;
		this.answered = false;
	}

	/**
	 * Whether the status and the headers can no longer be changed.
	 */
	boolean isHeadFinal() {
		return this.headRead;
	}

	/**
	 * From now on there is a response, unless an action before it fails: then the next
	 * response is written without these actions, as servers do.
	 */
	private Mono<Void> commit() {
		this.answered = true;
		if (this.beforeCommit.isEmpty() || !this.actionsRun.compareAndSet(false, true)) {
			return Mono.empty();
		}
		return Flux.fromIterable(List.copyOf(this.beforeCommit)).concatMap(Supplier::get).then().doOnError((ex) -> {
			headers().clearContentHeaders();
			answerAgain();
		});
	}

	Mono<Void> write(Publisher<? extends DataBuffer> body) {
		if (this.answered) {
			return writtenTwice(Flux.from(body));
		}
		int limit = this.operation.limits().response();
		if (headers().getContentLength() > limit || !(body instanceof Mono)) {
			return streamFromFirst(Flux.from(body), false);
		}
		return ReadAhead.of(body, limit)
			// An error handler will write another response
			.doOnError((ex) -> headers().clearContentHeaders())
			.flatMap((read) -> read.isComplete() ? finish(AnswerBody.of(read.bytes(), 0, read.length()))
					: commit().then(Mono.defer(() -> stream(read.all(), false, false))));
	}

	Mono<Void> writeAndFlush(Publisher<? extends Publisher<? extends DataBuffer>> body) {
		// A buffer in a part that was fetched ahead would be lost
		Flux<DataBuffer> buffers = Flux.from(body).concatMap((part) -> part, 0);
		return this.answered ? writtenTwice(buffers) : streamFromFirst(buffers, true);
	}

	/**
	 * The handling has ended.
	 */
	Mono<Void> end() {
		if (!this.answered) {
			return finish(AnswerBody.empty());
		}
		return isClientGone() ? Mono.empty() : server().setComplete();
	}

	/**
	 * Fails as servers do.
	 */
	private static Mono<Void> writtenTwice(Flux<? extends DataBuffer> body) {
		return body.doOnNext(DataBufferUtils::release)
			.then(Mono.error(new IllegalStateException("The response of a protected handler was written twice")));
	}

	// A response that is complete

	/**
	 * Stores a complete response, and sends it.
	 */
	private Mono<Void> finish(AnswerBody body) {
		return commit().then(Mono.defer(() -> {
			FinalHead end;
			HttpAnswer answer;
			try {
				end = finalHead();
				answer = new HttpAnswer(end.status(), Delivery.WHOLE, end.kept(), body);
			}
			catch (Throwable ex) {
				return notSettled(ex);
			}
			return settle(end, answer).flatMap((other) -> deliver(end, answer, other.orElse(null)));
		}));
	}

	private Mono<Void> deliver(FinalHead end, HttpAnswer answer, Decision.@Nullable Answer other) {
		if (!beginsToSend()) {
			return nothingSent();
		}
		Mono<Void> sending;
		if (other != null) {
			sending = answerLike(other);
		}
		else {
			letThrough(end);
			sending = ReactiveAnswers.sendWithoutHeaders(answer, server());
		}
		return Mono.firstWithSignal(sending, this.clientLeaves.asMono()).doOnError((ex) -> handBack());
	}

	/**
	 * Nobody gets the response. Filters may have more to do than to write headers, such
	 * as saving a session.
	 */
	private Mono<Void> nothingSent() {
		return this.exchange.response().runActions().onErrorResume((ex) -> {
			logger.debug("An action before the response of {} failed without a client", this.handler, ex);
			return Mono.empty();
		});
	}

	/**
	 * An action of a filter has failed before anything was sent: an error handler will
	 * respond.
	 */
	private void handBack() {
		if (!server().isCommitted()) {
			this.exchange.response().release();
		}
	}

	/**
	 * Another attempt has taken the key over: one key never has two responses.
	 */
	private Mono<Void> answerLike(Decision.Answer other) {
		this.exchange.response().letHeadThrough(Map.of());
		HttpAnswer answer;
		try {
			answer = ReplayedAnswer.of(other, key());
		}
		catch (IdempotencyException ex) {
			ReactiveAnswers.writeEffect(EffectHeader.NONE, server());
			HttpAnswer problem = this.rules.problems().toAnswer(ex, this.webExchange);
			if (problem == null) {
				server().setStatusCode(HttpStatus.INTERNAL_SERVER_ERROR);
				return server().setComplete();
			}
			answer = problem;
		}
		return ReactiveAnswers.send(answer, server());
	}

	// A response that streams

	/**
	 * Streams a response from its first part on. If it fails before that, an error
	 * handler will write another one.
	 */
	private Mono<Void> streamFromFirst(Flux<? extends DataBuffer> body, boolean flush) {
		return isEndless() ? new SilentStream(body).orEnd((source) -> streamFrom(source, flush))
				: streamFrom(Flux.from(body), flush);
	}

	private Mono<Void> streamFrom(Flux<DataBuffer> source, boolean flush) {
		return source.<Void>switchOnFirst((first, all) -> {
			if (first.hasValue()) {
				return commit().then(Mono.defer(() -> stream(all, flush, true)));
			}
			if (first.hasError()) {
				headers().clearContentHeaders();
				return all.then(Mono.empty());
			}
			return finish(AnswerBody.empty());
		}, false).then();
	}

	/**
	 * Streams a response while it is recorded. It completes when it is stored, with its
	 * client or without.
	 * @param recorded whether it may be small enough to be stored
	 */
	private Mono<Void> stream(Flux<DataBuffer> source, boolean flush, boolean recorded) {
		StreamedBody body;
		try {
			body = new StreamedBody(source, finalHead(), recorded);
		}
		catch (Throwable ex) {
			return source.doOnNext(DataBufferUtils::release).then(notSettled(ex));
		}
		this.streamed = body;
		if (!beginsToSend()) {
			return nothingSent().then(body.goOnAlone());
		}
		letThrough(body.head);
		return body.send(flush).onErrorResume((ex) -> {
			if (body.isEnded()) {
				return Mono.error(ex);
			}
			// The connection has failed, and not the response
			boolean unsent = !server().isCommitted();
			handBack();
			leave();
			return body.goOnAlone().then(unsent ? Mono.error(ex) : Mono.empty());
		});
	}

	/**
	 * An event stream has no end that its client would wait for, unless its handler says
	 * so.
	 */
	private boolean isEndless() {
		MediaType type = headers().getContentType();
		return !this.operation.limits().events() && type != null && type.isCompatibleWith(MediaType.TEXT_EVENT_STREAM);
	}

	// The head of the response

	/**
	 * The head as it is now. Nothing is passed on to the server.
	 */
	private FinalHead finalHead() {
		this.headRead = true;
		ResponseHead own = this.head;
		HttpStatusCode code = (own != null) ? own.status() : server().getStatusCode();
		int status = (code != null) ? code.value() : HttpStatus.OK.value();
		Map<String, List<String>> changed = (own != null) ? own.changed() : Map.of();
		return new FinalHead(status, changed, ReactiveAnswers.kept(changed, headers(), this.rules.keptHeaders()),
				switch (this.operation.store()) {
					case ALL -> true;
					case SUCCESSFUL -> status < 400;
					case BY_POLICY -> this.rules.policy().shouldStore(this.facts, status);
				});
	}

	private void letThrough(FinalHead end) {
		this.exchange.response().letHeadThrough(end.changed());
		ReactiveAnswers.writeEffect(this.handlerReached
				? EffectHeader.of(this.effect, this.webExchange.getRequest().getMethod().name(), end.status())
				: EffectHeader.NONE, server());
		String expires = this.settlement.expires();
		if (expires != null) {
			server().getHeaders().set(Settlement.EXPIRES, expires);
		}
	}

	private HttpHeaders headers() {
		ResponseHead own = this.head;
		return (own != null) ? own.headers() : server().getHeaders();
	}

	private ServerHttpResponse server() {
		return this.exchange.response().server();
	}

	// What happens to the key

	/**
	 * Settles the key of a response.
	 * @param answer the response, or {@code null} if it is not recorded
	 * @return the decision for another attempt that has taken the key over
	 */
	private Mono<Optional<Decision.Answer>> settle(FinalHead end, @Nullable HttpAnswer answer) {
		return once((answer != null) ? answer.body().length() : 0,
				() -> this.settlement.settle(End.RESPONDED, end.status(), end.stored(), answer));
	}

	private Mono<Optional<Decision.Answer>> settleFailure() {
		return once(0, this.settlement::settleFailure);
	}

	/**
	 * Completes the key without the response.
	 */
	private Mono<Optional<Decision.Answer>> keepFact() {
		return once(0, this.settlement::keepFact);
	}

	/**
	 * Settles the key of a handler whose client got another response.
	 */
	void settleUnanswered() {
		settleAlone(settleFailure());
	}

	/**
	 * Settles the key of a stream that was stopped.
	 */
	private void settleStopped() {
		settleAlone(keepFact());
	}

	private void settleAlone(Mono<?> settled) {
		this.answered = true;
		settled.subscribe((other) -> {
		}, (ex) -> logger.warn("The key of {} could not be settled: {}", this.handler, ex.toString()));
	}

	private Mono<Optional<Decision.Answer>> once(long bytes, Supplier<@Nullable Completion> ending) {
		return Mono.defer(() -> {
			if (!this.settled.compareAndSet(false, true)) {
				return Mono.just(Optional.empty());
			}
			Cleaner.Cleanable known = this.lifeline;
			if (known != null) {
				known.clean();
			}
			return this.engine.<Optional<Decision.Answer>>end(bytes, () -> {
				Completion completion = ending.get();
				return Optional.ofNullable((completion != null) ? completion.answer() : null);
			});
		});
	}

	/**
	 * The handler has run, but its response is unknown: it must not run again.
	 */
	private <T> Mono<T> notSettled(Throwable failure) {
		// An error handler will respond
		headers().clearContentHeaders();
		answerAgain();
		return keepFact().then(Mono.error(failure));
	}

	/**
	 * It is unknown whether the handler still runs: the key is free when its lease
	 * expires.
	 */
	void letLeaseRunOut() {
		this.settlement.letLeaseRunOut();
	}

	@Override
	public String toString() {
		return this.handler.toString();
	}

	/**
	 * The rules for the responses of all protected requests.
	 *
	 * @param keptHeaders which headers are stored
	 * @param policy which responses are stored
	 * @param problems writes problems
	 */
	record Rules(KeptHeaders keptHeaders, ResponsePolicy policy, ReactiveProblems problems) {
	}

	/**
	 * A head that is final.
	 *
	 * @param changed the headers that are not as they were before the handler
	 * @param kept the headers that are stored
	 * @param stored whether such a response is stored
	 */
	private record FinalHead(int status, Map<String, List<String>> changed, Map<String, List<String>> kept,
			boolean stored) {
	}

	/**
	 * An event stream that has not begun. Without its client it is of no use.
	 */
	private final class SilentStream implements Outliving.Owner<DataBuffer> {

		private final Outliving<DataBuffer> events;

		private final Sinks.Empty<Void> stopped = Sinks.empty();

		private SilentStream(Flux<? extends DataBuffer> source) {
			this.events = new Outliving<>(source, this);
		}

		/**
		 * Writes the events, or completes if they are stopped.
		 */
		private Mono<Void> orEnd(Function<Flux<DataBuffer>, Mono<Void>> write) {
			ReactiveRun.this.silent = this;
			if (isClientGone()) {
				leave();
			}
			return Mono.firstWithSignal(write.apply(this.events), this.stopped.asMono());
		}

		/**
		 * Stops the events, unless the first one comes soon: what has not begun would
		 * count as run.
		 */
		private void leave() {
			Mono.delay(PATIENCE).subscribe((passed) -> this.events.cancel());
		}

		@Override
		public boolean goesOn() {
			return false;
		}

		@Override
		public void discard(DataBuffer event) {
			DataBufferUtils.release(event);
		}

		@Override
		public void endedAlone(@Nullable Throwable failure) {
			// It never is alone
		}

		@Override
		public void stopped() {
			settleStopped();
			this.stopped.tryEmitEmpty();
		}

	}

	/**
	 * A body that streams while it is recorded. Its end waits for the store. It continues
	 * without its client as long as it can be stored.
	 */
	private final class StreamedBody implements Outliving.Owner<DataBuffer> {

		private final FinalHead head;

		private final Outliving<DataBuffer> body;

		private final boolean endless = isEndless();

		/**
		 * The length of the body, or -1.
		 */
		private final long declared = headers().getContentLength();

		/**
		 * {@code null} if it is too large to be stored.
		 */
		private volatile @Nullable RecordedBody record;

		private long seen;

		/**
		 * The last byte of the declared length, which waits for the store.
		 */
		private final AtomicReference<@Nullable DataBuffer> last = new AtomicReference<>();

		private boolean lastSeen;

		/**
		 * What the server has not taken yet. One whose client has disconnected drops it.
		 */
		private final Queue<AtomicReference<@Nullable DataBuffer>> flushed = new ConcurrentLinkedQueue<>();

		private volatile boolean left;

		private final Sinks.Empty<Void> endedAlone = Sinks.empty();

		private StreamedBody(Flux<DataBuffer> source, FinalHead head, boolean recorded) {
			this.head = head;
			this.record = (recorded && !this.endless) ? new RecordedBody(ReactiveRun.this.operation.limits().response())
					: null;
			Flux<DataBuffer> watched = source.doOnError(ReactiveRun.this::handlerFailed);
			Flux<DataBuffer> parts = watched.<DataBuffer>handle((part, sink) -> {
				DataBuffer next = record(part);
				if (next != null) {
					sink.next(next);
				}
			}).concatWith(Mono.defer(this::store)).onErrorResume((ex) -> {
				logger.debug("The response of {} failed while it was sent", ReactiveRun.this.handler, ex);
				releaseLast();
				return settleFailure().then(Mono.error(ex));
			}).doOnDiscard(DataBuffer.class, DataBufferUtils::release);
			this.body = new Outliving<>(parts, this);
		}

		/**
		 * Records a part.
		 * @return what can be sent of it before it is stored
		 */
		private @Nullable DataBuffer record(DataBuffer part) {
			if (this.lastSeen) {
				// More than its handler has declared
				DataBufferUtils.release(part);
				return null;
			}
			RecordedBody recording = this.record;
			if (recording != null && !recording.add(part)) {
				this.record = null;
			}
			int count = part.readableByteCount();
			this.seen += count;
			if (this.declared < 0 || this.seen < this.declared) {
				return part;
			}
			this.lastSeen = true;
			DataBuffer before = (count > 1) ? part.split(part.writePosition() - 1) : null;
			this.last.set(part);
			if (this.body.isEnded()) {
				releaseLast();
			}
			return before;
		}

		/**
		 * Stores the response, and then sends its last byte.
		 */
		private Mono<DataBuffer> store() {
			RecordedBody recorded = this.record;
			HttpAnswer answer = (recorded != null) ? new HttpAnswer(this.head.status(),
					(this.declared >= 0) ? Delivery.WHOLE : Delivery.STREAMED, this.head.kept(), recorded.toBody())
					: null;
			return settle(this.head, answer)
				.flatMap((other) -> other.isPresent() ? Mono.<DataBuffer>error(new SupersededException())
						: Mono.fromSupplier(() -> this.last.getAndSet(null)));
		}

		private void releaseLast() {
			DataBuffer waiting = this.last.getAndSet(null);
			if (waiting != null) {
				DataBufferUtils.release(waiting);
			}
		}

		/**
		 * Sends the body, and completes when it is stored.
		 */
		private Mono<Void> send(boolean flush) {
			Mono<Void> sending = flush
					? server().writeAndFlushWith(this.body.map(this::flushed)).doFinally((signal) -> releaseFlushed())
					: server().writeWith(this.body);
			return Mono.firstWithSignal(sending, this.endedAlone.asMono());
		}

		private Publisher<DataBuffer> flushed(DataBuffer buffer) {
			AtomicReference<@Nullable DataBuffer> part = new AtomicReference<>(buffer);
			this.flushed.add(part);
			if (this.left) {
				releaseFlushed();
			}
			return Mono.fromSupplier(() -> {
				this.flushed.remove(part);
				return part.getAndSet(null);
			}).doOnDiscard(DataBuffer.class, DataBufferUtils::release);
		}

		private void releaseFlushed() {
			this.left = true;
			for (AtomicReference<@Nullable DataBuffer> part = this.flushed.poll(); part != null; part = this.flushed
				.poll()) {
				DataBuffer dropped = part.getAndSet(null);
				if (dropped != null) {
					DataBufferUtils.release(dropped);
				}
			}
		}

		private void leave() {
			this.left = true;
			this.body.cancel();
		}

		private boolean isLeft() {
			return this.left;
		}

		private boolean isEnded() {
			return this.body.isEnded();
		}

		/**
		 * Continues without the client.
		 */
		private Mono<Void> goOnAlone() {
			leave();
			if (!this.body.isSubscribed()) {
				this.body.subscribe(DataBufferUtils::release, this::endedAlone, () -> endedAlone(null));
			}
			return this.endedAlone.asMono();
		}

		@Override
		public boolean goesOn() {
			this.left = true;
			return this.record != null;
		}

		@Override
		public void discard(DataBuffer part) {
			DataBufferUtils.release(part);
		}

		@Override
		public void endedAlone(@Nullable Throwable failure) {
			if (failure != null) {
				logger.debug("A response failed after its client had disconnected", failure);
			}
			this.endedAlone.tryEmitEmpty();
		}

		@Override
		public void stopped() {
			releaseLast();
			settleStopped();
			this.endedAlone.tryEmitEmpty();
		}

	}

	/**
	 * The body of a response that is recorded while it streams, up to a limit.
	 */
	private static final class RecordedBody {

		private static final int FIRST_SIZE = 512;

		private final int limit;

		private byte[] bytes = new byte[0];

		private int length;

		private RecordedBody(int limit) {
			this.limit = limit;
		}

		/**
		 * Copies the bytes of a buffer, which does not change.
		 * @return {@code false} if the body is too large
		 */
		private synchronized boolean add(DataBuffer buffer) {
			int count = buffer.readableByteCount();
			if (count > this.limit - this.length) {
				this.bytes = new byte[0];
				return false;
			}
			int needed = this.length + count;
			if (needed > this.bytes.length) {
				this.bytes = Arrays.copyOf(this.bytes,
						Math.min(this.limit, Math.max(needed, Math.max(FIRST_SIZE, 2 * this.bytes.length))));
			}
			buffer.toByteBuffer(buffer.readPosition(), ByteBuffer.wrap(this.bytes), this.length, count);
			this.length = needed;
			return true;
		}

		private synchronized AnswerBody toBody() {
			return AnswerBody.of(this.bytes, 0, this.length);
		}

	}

	/**
	 * Makes the server break the connection off, so that the client knows that it has not
	 * seen the whole response.
	 */
	private static final class SupersededException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private SupersededException() {
			super("Another attempt has taken the key over: this response must not be finished", null, false, false);
		}

	}

}
