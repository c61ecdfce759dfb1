package dev.idempotency.webflux;

import java.util.function.Function;

import dev.idempotency.http.AnswerBody;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.HttpAnswer.Delivery;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.MediaType;

/**
 * A response that streams while it is recorded. Its end waits for the store. It continues
 * without its client as long as it can be stored.
 *
 * @param <T> a part of it
 */
final class StreamedAnswer<T> {

	private static final Logger logger = LoggerFactory.getLogger(StreamedAnswer.class);

	private final Object handler;

	private final ReactiveHead head;

	private final ReactiveHead.Final finalHead;

	private final @Nullable AnswerPieces pieces;

	private final AnswerParts<T> parts;

	private final ReactiveSettlement settlement;

	private final ReactiveClient client;

	/**
	 * An event stream has no end that its client would wait for.
	 */
	private final boolean endless;

	/**
	 * The length of the body, or -1.
	 */
	private final long declared;

	/**
	 * Create a response.
	 * @param pieces where it is recorded, or {@code null} if it is too large already
	 */
	StreamedAnswer(Object handler, ReactiveHead head, @Nullable AnswerPieces pieces, AnswerParts<T> parts,
			ReactiveSettlement settlement, ReactiveClient client) {
		this.handler = handler;
		this.head = head;
		this.finalHead = head.end();
		this.pieces = pieces;
		this.parts = parts;
		this.settlement = settlement;
		this.client = client;
		MediaType type = head.headers().getContentType();
		this.endless = type != null && type.isCompatibleWith(MediaType.TEXT_EVENT_STREAM);
		this.declared = head.headers().getContentLength();
	}

	/**
	 * Sends the response. Completes when it is stored, with its client or without.
	 * @param write sends the body to the client
	 */
	Mono<Void> send(Flux<T> source, Function<Flux<T>, Mono<Void>> write) {
		UntiedFlux<T> body = new UntiedFlux<>(stored(source), this.parts::release, this::canBeStored,
				this::stoppedWithoutClient);
		this.client.reads(body);
		if (this.client.isGone()) {
			return alone(body);
		}
		this.head.letThrough(this.finalHead);
		return Mono.firstWithSignal(write.apply(body), body.endedAlone()).onErrorResume((ex) -> {
			if (body.isDone()) {
				return Mono.error(ex);
			}
			// The connection has failed, and not the response
			this.client.disconnected();
			return alone(body);
		});
	}

	private static Mono<Void> alone(UntiedFlux<?> body) {
		body.goOnAlone();
		return body.endedAlone();
	}

	private Flux<T> stored(Flux<T> source) {
		return recorded(source).concatWith(Mono.defer(this::store)).onErrorResume((ex) -> {
			logger.debug("The response of {} failed while it was sent", this.handler, ex);
			return this.settlement.settleFailure().then(Mono.error(ex));
		});
	}

	private Flux<T> recorded(Flux<T> source) {
		AnswerPieces record = this.pieces;
		if (record == null) {
			return source;
		}
		if (this.declared < 0) {
			return source.doOnNext((part) -> this.parts.record(record, part));
		}
		return source.concatMap((part) -> recordedUpToEnd(part, record), 1);
	}

	/**
	 * Records a part. The last byte of the declared length waits for the store.
	 */
	private Flux<T> recordedUpToEnd(T part, AnswerPieces record) {
		this.parts.record(record, part);
		if (record.seen() < this.declared) {
			return Flux.just(part);
		}
		T start = this.parts.splitLastByte(part);
		Mono<T> end = store().then(Mono.just(part)).doOnError((ex) -> this.parts.release(part));
		return (start != null) ? Flux.just(start).concatWith(end) : end.flux();
	}

	private boolean canBeStored() {
		return !this.endless && this.pieces != null && this.pieces.isKept();
	}

	private Mono<T> store() {
		AnswerBody body = (this.pieces != null && !this.endless) ? this.pieces.toBody() : null;
		Delivery delivery = (this.declared >= 0) ? Delivery.WHOLE : Delivery.STREAMED;
		HttpAnswer answer = (body != null) ? this.finalHead.with(delivery, body) : null;
		return this.settlement.settle(this.finalHead.status(), this.finalHead.stored(), answer)
			.flatMap((other) -> other.isPresent() ? Mono.error(new CutAnswerException()) : Mono.empty());
	}

	private void stoppedWithoutClient() {
		this.settlement.keepFact().subscribe((other) -> {
		}, (ex) -> logger.warn("The key of {} could not be completed: {}", this.handler, ex.toString()));
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
