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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/**
 * A handler that runs under a claim, from the claim to the response. A final response is
 * stored, and then sent. One that is written piece by piece streams until the last chunk,
 * which waits for the store. The handler continues when its client disconnects.
 */
final class ReactiveRun implements IdempotencyContext, ReactiveResponse.Pen {

	private final ReactiveExchange exchange;

	private final ServerWebExchange webExchange;

	/**
	 * The largest body that is stored.
	 */
	private final int limit;

	private final Object handler;

	private final Execution execution;

	private final Steps steps;

	private final ReactiveSettlement settlement;

	private final ReactiveAnswerRules rules;

	private final ReactiveHead head;

	private final ReactiveClient client = new ReactiveClient();

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

	ReactiveRun(ReactiveExchange exchange, ServerWebExchange webExchange, ProtectedOperation operation, Object handler,
			Execution execution, Function<IdempotencyContext, Steps> steps, ReactiveEngine engine,
			ReactiveAnswerRules rules) {
		this.exchange = exchange;
		this.webExchange = webExchange;
		this.limit = operation.limits().response();
		this.handler = handler;
		this.execution = execution;
		this.settlement = new ReactiveSettlement(operation, execution, engine);
		this.rules = rules;
		this.head = new ReactiveHead(exchange.response(), webExchange, operation, rules);
		this.steps = steps.apply(this);
	}

	/**
	 * Keeps the headers that the handler writes to.
	 */
	void writeTo(IsolatedHeaders headers) {
		this.head.writeTo(headers);
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
		this.head.effect(effect);
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
		this.head.handlerNotReached();
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
		this.client.disconnected();
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
		if (declared > this.limit || !(body instanceof Mono)) {
			return flowFromFirst(Flux.from(body), AnswerParts.BUFFERS, (flowing) -> server().writeWith(flowing));
		}
		return new ReadAhead(body, this.limit)
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
		return this.client.isGone() ? Mono.empty() : server().setComplete();
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
		ReactiveHead.Final end;
		HttpAnswer answer;
		try {
			end = this.head.end();
			answer = end.with(Delivery.WHOLE, body);
		}
		catch (Throwable ex) {
			return notSettled(ex);
		}
		return this.settlement.settle(end.status(), end.stored(), answer)
			.flatMap((other) -> deliver(end, answer, other.orElse(null)));
	}

	private Mono<Void> deliver(ReactiveHead.Final end, HttpAnswer answer, Decision.@Nullable Answer other) {
		if (this.client.isGone()) {
			return Mono.empty();
		}
		if (other != null) {
			return this.client.send(answerLike(other));
		}
		this.head.letThrough(end);
		return this.client.send(ReactiveAnswers.sendWithoutHeaders(answer, server()));
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
				return flow(all, new AnswerPieces(this.limit), parts, write);
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
		StreamedAnswer<T> answer;
		try {
			answer = new StreamedAnswer<>(this.handler, this.head, pieces, parts, this.settlement, this.client);
		}
		catch (Throwable ex) {
			return source.doOnNext(parts::release).then(notSettled(ex));
		}
		return answer.send(source, write);
	}

	// What happens to the key

	/**
	 * The handling has ended with an exception. The response, if there is one, stays
	 * incomplete.
	 */
	Mono<Void> failed() {
		if (this.client.hasLeftBody()) {
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

	private HttpHeaders headers() {
		return this.head.headers();
	}

	private ServerHttpResponse server() {
		return this.exchange.response().server();
	}

	@Override
	public String toString() {
		return this.handler.toString();
	}

}
