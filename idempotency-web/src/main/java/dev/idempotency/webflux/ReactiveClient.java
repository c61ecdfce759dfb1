package dev.idempotency.webflux;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The client of a protected handler. It may disconnect at any moment, and the handler
 * continues without it.
 */
final class ReactiveClient {

	private final Sinks.Empty<Void> disconnected = Sinks.empty();

	private volatile boolean gone;

	/**
	 * The body that streams to it, if one does.
	 */
	private volatile @Nullable UntiedFlux<?> body;

	/**
	 * A body streams to the client from now on. If the client is gone already, the body
	 * is to continue alone.
	 */
	void reads(UntiedFlux<?> body) {
		this.body = body;
	}

	void disconnected() {
		this.gone = true;
		this.disconnected.tryEmitEmpty();
		UntiedFlux<?> reading = this.body;
		if (reading != null) {
			reading.untie();
		}
	}

	boolean isGone() {
		return this.gone;
	}

	/**
	 * Whether a body continues, or has continued, without its client.
	 */
	boolean hasLeftBody() {
		UntiedFlux<?> reading = this.body;
		return reading != null && reading.isUntied();
	}

	/**
	 * Sends something, or stops when the client disconnects.
	 */
	Mono<Void> send(Mono<Void> sending) {
		return Mono.firstWithSignal(sending, this.disconnected.asMono());
	}

}
