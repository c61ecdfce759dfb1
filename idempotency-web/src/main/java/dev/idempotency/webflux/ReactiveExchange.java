package dev.idempotency.webflux;

import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.reactive.Outliving;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/**
 * Carries a request and its response around all filters and error handlers, and the
 * decision about them: none yet, a handler that runs under a claim, a known response, or
 * a refusal.
 */
final class ReactiveExchange implements Outliving.Owner<Void> {

	private static final Logger logger = LoggerFactory.getLogger(ReactiveExchange.class);

	/**
	 * The key of the exchange in Reactor's context, and of a dispatch of it: that context
	 * is copied with each entry, and at more than five it becomes a map.
	 */
	static final Object KEY = ReactiveExchange.class;

	private static final Object UNDECIDED = new Object();

	private static final Object CLIENT_GONE = new Object();

	private static final Object ANSWERED = new Object();

	private final ReactiveRequest request;

	private final ReactiveResponse response;

	/**
	 * One of the above, a {@link ReactiveRun} or an {@link IdempotencyException}.
	 */
	private final AtomicReference<Object> state = new AtomicReference<>(UNDECIDED);

	/**
	 * What was decided about. Set before the state.
	 */
	private volatile @Nullable Subject subject;

	ReactiveExchange(ServerHttpRequest request, ServerHttpResponse response) {
		this.request = new ReactiveRequest(request);
		this.response = ReactiveResponse.of(response);
	}

	/**
	 * The exchange in Reactor's context.
	 * @return {@code null} if the request did not come through the edge
	 */
	static @Nullable ReactiveExchange of(ContextView context) {
		Object found = context.getOrDefault(KEY, null);
		return (found instanceof ReactiveDispatch dispatch) ? dispatch.carried() : (ReactiveExchange) found;
	}

	/**
	 * Carries the request through the application.
	 */
	Mono<Void> carry(Mono<Void> handled) {
		return handled.onErrorResume(this::failed)
			.then(Mono.defer(this::ended))
			.contextWrite((context) -> ReactiveIdempotencyContext.bindLater(context.put(KEY, this)));
	}

	ReactiveRequest request() {
		return this.request;
	}

	ReactiveResponse response() {
		return this.response;
	}

	/**
	 * The handler that runs under a claim.
	 * @return {@code null} if none does
	 */
	@Nullable ReactiveRun run() {
		return (this.state.get() instanceof ReactiveRun run) ? run : null;
	}

	/**
	 * Remembers what is decided about.
	 */
	void decides(ReactiveDispatch dispatch, ServerWebExchange exchange, Object handler) {
		this.subject = new Subject(dispatch, handler, exchange.getRequest().getPath().value(),
				exchange.getRequest().getHeaders());
	}

	/**
	 * A filter may dispatch a request again. What was decided stays decided, unless the
	 * handler has failed: then its key is settled, and the next dispatch decides anew.
	 * @return emits something if it is to be decided, or completes when there is nothing
	 * left to do
	 */
	Mono<Boolean> again() {
		Object decided = this.state.get();
		Subject before = this.subject;
		if (decided == UNDECIDED) {
			return Mono.just(true);
		}
		if (decided instanceof ReactiveRun run && before != null) {
			if (!hasFailed(run, before)) {
				return before.dispatch().ended().then(Mono.empty());
			}
			return run.failed().then(Mono.fromCallable(() -> {
				this.response.release();
				forget(run);
				return true;
			}));
		}
		return (decided instanceof IdempotencyException refusal && !this.response.isCommitted()) ? Mono.error(refusal)
				: Mono.empty();
	}

	/**
	 * Whether it was decided about another request, such as one that a filter has
	 * forwarded.
	 */
	boolean isDecidedForAnother(ServerWebExchange exchange, Object handler, ReactiveDispatch dispatch) {
		Object decided = this.state.get();
		Subject before = this.subject;
		if (before == null || before.dispatch() == dispatch || decided == UNDECIDED || decided == CLIENT_GONE
				|| (decided instanceof ReactiveRun run && hasFailed(run, before))) {
			return false;
		}
		return !before.handler().equals(handler) || !before.path().equals(exchange.getRequest().getPath().value())
				|| !areEqual(before.headers(), exchange.getRequest().getHeaders());
	}

	/**
	 * Compares headers. Those of some servers know only whether they are the same.
	 */
	private static boolean areEqual(HttpHeaders some, HttpHeaders other) {
		return some.headerNames().equals(other.headerNames())
				&& some.headerNames().stream().allMatch((name) -> some.getOrEmpty(name).equals(other.getOrEmpty(name)));
	}

	private static boolean hasFailed(ReactiveRun run, Subject subject) {
		return !run.isFinal() && subject.dispatch().failure() != null;
	}

	/**
	 * Lets a handler run, and records its response.
	 * @return {@code false} if the client has disconnected, or something else was decided
	 */
	boolean arm(ReactiveRun run, ReactiveDispatch dispatch) {
		if (!this.state.compareAndSet(UNDECIDED, run)) {
			return false;
		}
		this.request.outliveConnection();
		run.writeTo(this.response.record(run, dispatch));
		return true;
	}

	/**
	 * A handler no longer runs for this client. What comes next is decided anew.
	 */
	void forget(ReactiveRun run) {
		this.state.compareAndSet(run, UNDECIDED);
	}

	/**
	 * Responds with what is known. What filters and handlers write is dropped.
	 */
	Mono<Void> answerWith(HttpAnswer answer) {
		if (!this.state.compareAndSet(UNDECIDED, ANSWERED)) {
			return Mono.empty();
		}
		this.response.answered();
		return ReactiveAnswers.send(answer, this.response.server());
	}

	void refused(IdempotencyException problem) {
		this.state.compareAndSet(UNDECIDED, problem);
	}

	/**
	 * Whether this request was refused with the given problem.
	 */
	boolean isRefusal(IdempotencyException problem) {
		return this.state.get() == problem;
	}

	/**
	 * The client has disconnected. Only a handler that runs under a claim continues.
	 */
	@Override
	public boolean goesOn() {
		if (this.state.compareAndSet(UNDECIDED, CLIENT_GONE)) {
			return false;
		}
		ReactiveRun run = run();
		if (run == null) {
			return false;
		}
		run.leave();
		return true;
	}

	@Override
	public void endedAlone(@Nullable Throwable failure) {
		if (failure != null) {
			logger.debug("A request failed after its client had disconnected", failure);
		}
	}

	@Override
	public void broken() {
		ReactiveRun run = run();
		if (run != null) {
			run.letLeaseRunOut();
		}
	}

	/**
	 * The handling has ended with an exception.
	 */
	private Mono<Void> failed(Throwable failure) {
		ReactiveRun run = run();
		return ((run != null) ? run.failed() : Mono.<Void>empty()).then(Mono.error(failure));
	}

	/**
	 * The handling has ended.
	 */
	private Mono<Void> ended() {
		ReactiveRun run = run();
		return (run != null && !run.isFinal()) ? run.end() : Mono.empty();
	}

	/**
	 * What was decided about.
	 *
	 * @param dispatch the dispatch that asked
	 * @param path the path of the request
	 * @param headers the headers of the request
	 */
	private record Subject(ReactiveDispatch dispatch, Object handler, String path, HttpHeaders headers) {
	}

}
