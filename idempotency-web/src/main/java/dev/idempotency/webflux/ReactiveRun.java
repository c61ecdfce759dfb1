package dev.idempotency.webflux;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.http.AnswerBody;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpAnswer.Delivery;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ReplayedAnswer;
import dev.idempotency.reactive.ReactiveEngine;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/**
 * A handler that runs under a claim, from the claim to the response. A final response is
 * stored, and then sent. One that is written piece by piece streams until the last chunk,
 * which waits for the store. The handler continues when its client disconnects.
 */
final class ReactiveRun implements IdempotencyContext, ReactiveResponse.Pen {

	private static final Logger logger = LoggerFactory.getLogger(ReactiveRun.class);

	private final ReactiveExchange exchange;

	private final ServerWebExchange webExchange;

	private final ProtectedOperation operation;

	private final Object handler;

	private final Execution execution;

	private final Steps steps;

	private final ReactiveSettlement settlement;

	private final ReactiveAnswerRules rules;

	private volatile @Nullable IsolatedHeaders written;

	private volatile Effect effect;

	private volatile boolean handlerReached = true;

	private volatile @Nullable Throwable handlerFailure;

	/**
	 * Whether there is a response, which is complete or streams.
	 */
	private volatile boolean answered;

	/**
	 * The actions that run before the response is sent. What they write belongs to the
	 * response.
	 */
	private final Queue<Supplier<? extends Mono<Void>>> beforeCommit = new ConcurrentLinkedQueue<>();

	private final Sinks.Empty<Void> clientGone = Sinks.empty();

	private volatile boolean gone;

	private volatile @Nullable UntiedFlux<?> flow;

	ReactiveRun(ReactiveExchange exchange, ServerWebExchange webExchange, ProtectedOperation operation, Object handler,
			Execution execution, Function<IdempotencyContext, Steps> steps, ReactiveEngine engine,
			ReactiveAnswerRules rules) {
		this.exchange = exchange;
		this.webExchange = webExchange;
		this.operation = operation;
		this.handler = handler;
		this.execution = execution;
		this.settlement = new ReactiveSettlement(operation, execution, engine);
		this.rules = rules;
		this.effect = operation.effect();
		this.steps = steps.apply(this);
	}

	/**
	 * Keeps the headers that the handler writes to.
	 */
	void writeTo(IsolatedHeaders headers) {
		this.written = headers;
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
		this.settlement.release();
	}

	@Override
	public Steps steps() {
		return this.steps;
	}

	// What happens to the handler

	/**
	 * The handler did not begin: there is nothing to store.
	 */
	void handlerNotReached() {
		this.handlerReached = false;
		this.settlement.release();
	}

	/**
	 * The value that the handler returned has failed.
	 */
	void handlerFailed(Throwable failure) {
		this.handlerFailure = failure;
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
	 * The handler has done its work, but its result cannot be written: it must not run
	 * again.
	 */
	void answerIsUnwritable() {
		this.settlement.answerIsUnwritable();
	}

	/**
	 * Spring has not handled an exception. Whatever response is written for it is not the
	 * handler's.
	 */
	void failedUnhandled() {
		if (!this.answered) {
			this.settlement.failedUnhandled();
		}
	}

	// What happens to the client

	void clientGone() {
		this.gone = true;
		this.clientGone.tryEmitEmpty();
		UntiedFlux<?> flowing = this.flow;
		if (flowing != null) {
			flowing.untie();
		}
	}

	// What happens to the response

	@Override
	public boolean isFinal() {
		return this.answered;
	}

	@Override
	public boolean keeps(Supplier<? extends Mono<Void>> action) {
		if (!this.answered) {
			this.beforeCommit.add(action);
			return true;
		}
		return false;
	}

	/**
	 * From now on there is a response, unless an action before it fails.
	 */
	private Mono<Void> commit() {
		this.answered = true;
		if (this.beforeCommit.isEmpty()) {
			return Mono.empty();
		}
		return Flux.fromIterable(List.copyOf(this.beforeCommit))
			.concatMap(Supplier::get)
			.then()
			.doOnError((ex) -> this.answered = false);
	}

	@Override
	public Mono<Void> write(Publisher<? extends DataBuffer> body) {
		if (this.answered) {
			return writtenTwice(Flux.from(body));
		}
		long declared = headers().getContentLength();
		if (declared > limit() || !(body instanceof Mono)) {
			return flowFromFirst(Flux.from(body), AnswerParts.BUFFERS, (flowing) -> server().writeWith(flowing));
		}
		return new ReadAhead(body, limit())
			// An error handler will write another response
			.doOnError((ex) -> headers().clearContentHeaders())
			.flatMap((read) -> read.isComplete() ? finish(AnswerBody.of(read.bytes(), 0, read.length()))
					: flow(read.all(), null, AnswerParts.BUFFERS, (flowing) -> server().writeWith(flowing)));
	}

	@Override
	public Mono<Void> writeAndFlush(Publisher<? extends Publisher<? extends DataBuffer>> body) {
		if (this.answered) {
			return writtenTwice(Flux.from(body).concatMap((part) -> part));
		}
		FlushedParts handedOut = new FlushedParts();
		Flux<FlushedParts.Part> parts = Flux.from(body).concatMap(handedOut::collect, 1);
		return flowFromFirst(parts, AnswerParts.FLUSHES,
				(flowing) -> server().writeAndFlushWith(flowing.map(handedOut::handOut)))
			.doFinally((signal) -> handedOut.releaseAll());
	}

	@Override
	public Mono<Void> end() {
		if (!this.answered) {
			return finish(AnswerBody.empty());
		}
		return this.gone ? Mono.empty() : server().setComplete();
	}

	/**
	 * Fails as servers do.
	 */
	private static Mono<Void> writtenTwice(Flux<? extends DataBuffer> body) {
		return body.doOnNext(DataBufferUtils::release)
			.then(Mono.error(new IllegalStateException("The response of a protected handler was written twice")));
	}

	/**
	 * Stores a final response, and sends it.
	 */
	private Mono<Void> finish(AnswerBody body) {
		return commit().then(Mono.defer(() -> store(body)));
	}

	private Mono<Void> store(AnswerBody body) {
		Head head;
		HttpAnswer answer;
		try {
			head = currentHead();
			answer = new HttpAnswer(head.status(), Delivery.WHOLE, head.kept(), body);
		}
		catch (Throwable ex) {
			return notSettled(ex);
		}
		return this.settlement.settle(head.stored(), answer)
			.flatMap((other) -> deliver(head, answer, other.orElse(null)));
	}

	private Mono<Void> deliver(Head head, HttpAnswer answer, Decision.@Nullable Answer other) {
		if (this.gone) {
			return Mono.empty();
		}
		if (other != null) {
			return untilClientIsGone(answerLike(other));
		}
		this.exchange.response().letHeadersThrough(head.changed());
		writeEffect(head.status());
		return untilClientIsGone(ReactiveAnswers.sendWithoutHeaders(answer, server()));
	}

	/**
	 * Another attempt has taken the key over: one key never has two responses.
	 */
	private Mono<Void> answerLike(Decision.Answer other) {
		this.exchange.response().letHeadersThrough(Map.of());
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

	/**
	 * Streams a response from its first part on. If it fails before that, an error
	 * handler will write another one.
	 */
	private <T> Mono<Void> flowFromFirst(Flux<T> source, AnswerParts<T> parts, Function<Flux<T>, Mono<Void>> write) {
		return source.<Void>switchOnFirst((first, all) -> {
			if (first.hasValue()) {
				return flow(all, new AnswerPieces(limit()), parts, write);
			}
			if (first.hasError()) {
				headers().clearContentHeaders();
				return all.then(Mono.empty());
			}
			return finish(AnswerBody.empty());
		}, false).then();
	}

	/**
	 * Streams a response while it is recorded. It completes when it is stored.
	 * @param pieces where it is recorded, or {@code null} if it is too large already
	 */
	private <T> Mono<Void> flow(Flux<T> source, @Nullable AnswerPieces pieces, AnswerParts<T> parts,
			Function<Flux<T>, Mono<Void>> write) {
		return commit().then(Mono.defer(() -> flowOn(source, pieces, parts, write)));
	}

	private <T> Mono<Void> flowOn(Flux<T> source, @Nullable AnswerPieces pieces, AnswerParts<T> parts,
			Function<Flux<T>, Mono<Void>> write) {
		Head head;
		try {
			head = currentHead();
		}
		catch (Throwable ex) {
			return source.doOnNext(parts::release).then(notSettled(ex));
		}
		// An event stream has no end that its client would wait for
		MediaType type = headers().getContentType();
		boolean endless = type != null && type.isCompatibleWith(MediaType.TEXT_EVENT_STREAM);
		long declared = headers().getContentLength();
		Delivery delivery = (declared >= 0) ? Delivery.WHOLE : Delivery.STREAMED;
		Supplier<Mono<T>> storing = () -> storeFlow(head, delivery, endless ? null : pieces);
		Flux<T> recorded = source;
		if (pieces != null && declared >= 0) {
			recorded = source.concatMap((part) -> recordedUpToEnd(part, pieces, declared, parts, storing), 1);
		}
		else if (pieces != null) {
			recorded = source.doOnNext((part) -> parts.record(pieces, part));
		}
		Flux<T> stored = recorded.concatWith(Mono.defer(storing)).onErrorResume((ex) -> {
			logger.debug("The response of {} failed while it was sent", this.handler, ex);
			return this.settlement.settleFailure().then(Mono.error(ex));
		});
		UntiedFlux<T> untied = new UntiedFlux<>(stored, parts::release,
				() -> !endless && pieces != null && pieces.isKept(), this::stoppedWithoutClient);
		this.flow = untied;
		if (this.gone) {
			untied.goOnAlone();
			return untied.endedAlone();
		}
		this.exchange.response().letHeadersThrough(head.changed());
		writeEffect(head.status());
		return Mono.firstWithSignal(write.apply(untied), untied.endedAlone()).onErrorResume((ex) -> {
			if (untied.isDone()) {
				return Mono.error(ex);
			}
			// The connection has failed, and not the response
			clientGone();
			untied.goOnAlone();
			return untied.endedAlone();
		});
	}

	/**
	 * Records a part. The last byte of the declared length waits for the store.
	 */
	private static <T> Flux<T> recordedUpToEnd(T part, AnswerPieces pieces, long declared, AnswerParts<T> parts,
			Supplier<Mono<T>> storing) {
		parts.record(pieces, part);
		if (pieces.seen() < declared) {
			return Flux.just(part);
		}
		T head = parts.splitLastByte(part);
		Mono<T> end = storing.get().then(Mono.just(part)).doOnError((ex) -> parts.release(part));
		return (head != null) ? Flux.just(head).concatWith(end) : end.flux();
	}

	private <T> Mono<T> storeFlow(Head head, Delivery delivery, @Nullable AnswerPieces pieces) {
		AnswerBody body = (pieces != null) ? pieces.toBody() : null;
		HttpAnswer answer = (body != null) ? new HttpAnswer(head.status(), delivery, head.kept(), body) : null;
		return this.settlement.settle(head.stored(), answer)
			.flatMap((other) -> other.isPresent() ? Mono.error(new CutAnswerException()) : Mono.empty());
	}

	private void stoppedWithoutClient() {
		this.settlement.keepFact().subscribe((other) -> {
		}, (ex) -> logger.warn("The key of {} could not be completed: {}", this.handler, ex.toString()));
	}

	private Mono<Void> untilClientIsGone(Mono<Void> sending) {
		return Mono.firstWithSignal(sending, this.clientGone.asMono());
	}

	// What happens to the key

	/**
	 * The handling has ended with an exception. The response, if there is one, stays
	 * incomplete.
	 */
	Mono<Void> failed() {
		UntiedFlux<?> flowing = this.flow;
		if (flowing != null && flowing.isUntied()) {
			return Mono.empty();
		}
		this.answered = true;
		return this.settlement.settleFailure().then();
	}

	/**
	 * It is unknown whether the handler still runs: the key is free when its lease
	 * expires.
	 */
	void letLeaseRunOut() {
		this.settlement.letLeaseRunOut();
	}

	/**
	 * The handler has run, but its response is unknown: it must not run again.
	 */
	private <T> Mono<T> notSettled(Throwable failure) {
		// An error handler will respond
		this.answered = false;
		return this.settlement.keepFact().then(Mono.error(failure));
	}

	private Head currentHead() {
		HttpStatusCode code = server().getStatusCode();
		int status = (code != null) ? code.value() : HttpStatus.OK.value();
		IsolatedHeaders own = this.written;
		Map<String, List<String>> changed = (own != null) ? own.changed() : Map.of();
		return new Head(status, changed, ReactiveAnswers.kept(changed, headers(), this.rules.keptHeaders()),
				isToBeStored(status));
	}

	private boolean isToBeStored(int status) {
		return switch (this.operation.store()) {
			case ALL -> true;
			case SUCCESSFUL -> status < 400;
			case BY_POLICY -> this.rules.policy().shouldStore(this.webExchange, status);
		};
	}

	private void writeEffect(int status) {
		ReactiveAnswers.writeEffect(this.handlerReached
				? EffectHeader.of(this.effect, this.webExchange.getRequest().getMethod().name(), status)
				: EffectHeader.NONE, server());
	}

	private HttpHeaders headers() {
		return this.exchange.response().getHeaders();
	}

	private ServerHttpResponse server() {
		return this.exchange.response().server();
	}

	private int limit() {
		return this.operation.limits().response();
	}

	@Override
	public String toString() {
		return this.handler.toString();
	}

	/**
	 * The head of a response.
	 *
	 * @param status the status
	 * @param changed the headers that are not as they were before the handler
	 * @param kept the headers that are stored
	 * @param stored whether such a response is stored
	 */
	private record Head(int status, Map<String, List<String>> changed, Map<String, List<String>> kept, boolean stored) {
	}

	/**
	 * Makes the server break the connection off, so that the client knows that it has not
	 * seen the whole response.
	 */
	static final class CutAnswerException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		CutAnswerException() {
			super("Another attempt has taken the key over: this response must not be finished", null, false, false);
		}

	}

}
