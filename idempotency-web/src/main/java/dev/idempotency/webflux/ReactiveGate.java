package dev.idempotency.webflux;

import java.security.Principal;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.Calls;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.Preview;
import dev.idempotency.http.DryRunReport;
import dev.idempotency.http.DryRunUnsupportedException;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.Gate;
import dev.idempotency.http.Gate.Plan;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.http.ProtectedRequest;
import dev.idempotency.http.ReplayedAnswer;
import dev.idempotency.reactive.Outliving;
import dev.idempotency.reactive.ReactiveEngine;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebSession;

/**
 * Decides whether the handler of a protected request runs, without blocking.
 */
final class ReactiveGate {

	private static final Mono<Optional<Principal>> NOBODY = Mono.just(Optional.empty());

	private final Gate gate;

	/**
	 * There are none when protection is switched off.
	 */
	private final @Nullable ReactiveEngine engine;

	private final @Nullable Calls calls;

	private final ContentReader contentReader;

	private final ReactiveRun.Rules rules;

	private final Supplier<DispatcherHandler> dispatcher;

	ReactiveGate(Gate gate, @Nullable ReactiveEngine engine, @Nullable Calls calls, ContentReader contentReader,
			ReactiveRun.Rules rules, Supplier<DispatcherHandler> dispatcher) {
		this.gate = gate;
		this.engine = engine;
		this.calls = calls;
		this.contentReader = contentReader;
		this.rules = rules;
		this.dispatcher = SingletonSupplier.of(dispatcher);
	}

	/**
	 * Decides about a request.
	 * @param proceed runs the handler, with the context of its operation in Reactor's; it
	 * is given the run, if the handler runs under a claim
	 * @return the result of the handler; nothing if the response is known without it; or
	 * an {@link IdempotencyException} if the request is refused
	 */
	<T> Mono<T> admit(ServerWebExchange exchange, Object handler, ProtectedOperation operation,
			Function<@Nullable ReactiveRun, Mono<T>> proceed) {
		return Mono.deferContextual((context) -> {
			ReactiveDispatch dispatch = ReactiveDispatch.of(context);
			if (this.engine == null || this.calls == null) {
				// The key is only told, so a failure must not matter
				return callerOf(exchange).onErrorResume(Exception.class, (ex) -> NOBODY).flatMap((caller) -> {
					Plan plan = this.gate.plan(this.gate.receive(operation, ExchangeFacts.pattern(exchange),
							new ExchangeFacts(exchange, caller.orElse(null))));
					return ReactiveIdempotencyContext.bindNow(context, ((Plan.Unprotected) plan).context(),
							proceed.apply(null));
				});
			}
			if (dispatch == null) {
				return Mono.error(new IllegalStateException(
						"%s is protected, but its request did not come through the IdempotencyHttpHandler"
							.formatted(handler)));
			}
			if (!dispatch.isOf(exchange) || dispatch.carried().isDecidedForAnother(exchange, handler, dispatch)) {
				return dispatchPart(exchange);
			}
			if (dispatch.run() != null) {
				// A handler that is protected twice
				return proceed.apply(null);
			}
			ReactiveEngine protecting = this.engine;
			Calls steps = this.calls;
			return dispatch.carried()
				.again()
				.flatMap((decides) -> new Case<>(protecting, steps, context, dispatch, exchange, handler, operation,
						proceed)
					.decide());
		});
	}

	/**
	 * Dispatches a request of its own, such as a part of a batch, which has another
	 * response than the request that it came with.
	 */
	private <T> Mono<T> dispatchPart(ServerWebExchange exchange) {
		ReactiveExchange part = new ReactiveExchange(exchange.getRequest(), exchange.getResponse());
		ServerWebExchange own = exchange.mutate().request(part.request()).response(part.response()).build();
		return part.carry(ReactiveDispatch.begin(part, own, this.dispatcher.get()::handle)).then(Mono.empty());
	}

	private static Mono<Optional<Principal>> callerOf(ServerWebExchange exchange) {
		return exchange.getPrincipal().map(Optional::of).switchIfEmpty(NOBODY);
	}

	/**
	 * An operation as the settings configure it by name.
	 */
	static ProtectedOperation named(ProtectedOperations operations, ProtectedOperation operation,
			ServerWebExchange exchange) {
		return operations.named(operation, exchange.getRequest().getMethod().name(), ExchangeFacts.pattern(exchange),
				exchange.getRequest().getPath().value());
	}

	/**
	 * A request to decide about.
	 */
	private final class Case<T> {

		private final ReactiveEngine engine;

		private final Calls calls;

		private final ContextView context;

		private final ReactiveDispatch dispatch;

		private final ReactiveExchange carried;

		private final ServerWebExchange exchange;

		private final Object handler;

		private final ProtectedOperation operation;

		private final Function<@Nullable ReactiveRun, Mono<T>> proceed;

		private Case(ReactiveEngine engine, Calls calls, ContextView context, ReactiveDispatch dispatch,
				ServerWebExchange exchange, Object handler, ProtectedOperation operation,
				Function<@Nullable ReactiveRun, Mono<T>> proceed) {
			this.engine = engine;
			this.calls = calls;
			this.context = context;
			this.dispatch = dispatch;
			this.carried = dispatch.carried();
			this.exchange = exchange;
			this.handler = handler;
			this.operation = operation;
			this.proceed = proceed;
		}

		private Mono<T> decide() {
			this.carried.decides(this.dispatch, this.exchange, this.handler);
			return callerOf(this.exchange).flatMap((caller) -> {
				ExchangeFacts facts = new ExchangeFacts(this.exchange, caller.orElse(null));
				// Before the body is read
				ReactiveGate.this.gate.isDryRun(facts);
				ProtectedRequest request = ReactiveGate.this.gate.receive(this.operation,
						ExchangeFacts.pattern(this.exchange), facts);
				Mono<Plan> plan = request.needsContent() ? readAhead(facts).then(Mono.fromSupplier(() -> plan(request)))
						: Mono.just(plan(request));
				return plan.map((it) -> Mono.defer(() -> carryOut(it, facts)));
			}).onErrorResume(IdempotencyException.class, this::refuse).flatMap(Function.identity());
		}

		private Plan plan(ProtectedRequest request) {
			return ReactiveGate.this.gate.plan(request);
		}

		private Mono<T> carryOut(Plan plan, ExchangeFacts facts) {
			if (plan instanceof Plan.Claim claim) {
				return begin(claim, facts);
			}
			if (plan instanceof Plan.DryRun dryRun) {
				return rehearse(dryRun);
			}
			return ReactiveIdempotencyContext.bindNow(this.context, ((Plan.Unprotected) plan).context(),
					this.proceed.apply(null));
		}

		/**
		 * Reads what the key and the fingerprint may be made of.
		 */
		private Mono<Void> readAhead(ExchangeFacts facts) {
			Mono<Void> content = ReactiveGate.this.contentReader
				.read(this.exchange, this.carried.request(), this.operation.limits().request())
				.doOnNext((read) -> facts.read(() -> read))
				.then()
				.onErrorResume(IdempotencyException.class, (ex) -> {
					facts.read(() -> {
						throw ex;
					});
					return Mono.empty();
				});
			return this.operation.keySource().isDerived() ? content.then(this.exchange.getSession()
				.filter(WebSession::isStarted)
				.doOnNext((session) -> facts.session(session.getId()))
				.then()) : content;
		}

		private Mono<T> begin(Plan.Claim claim, ExchangeFacts facts) {
			return this.engine
				.begin(claim.attempt(), this.carried.request().heldBytes(), (decision) -> taken(decision, claim, facts))
				.onErrorResume(IdempotencyException.class, this::refuse)
				.flatMap(Function.identity());
		}

		/**
		 * The handler, which continues if a filter of routes cancels it.
		 */
		private Mono<T> handler(ReactiveRun run) {
			return Mono.fromDirect(new Outliving<>(this.proceed.apply(run), new Outliving.Owner<T>() {
				@Override
				public boolean goesOn() {
					Case.this.dispatch.handlerContinuesUnanswered(run);
					return true;
				}

				@Override
				public void endedAlone(@Nullable Throwable failure) {
					if (failure == null) {
						run.responseIsUnwritable();
					}
					run.settleUnanswered();
				}

				@Override
				public void broken() {
					run.letLeaseRunOut();
				}
			}));
		}

		/**
		 * Runs on the thread that has decided: otherwise an execution whose client has
		 * disconnected would never end.
		 */
		private Mono<T> taken(Decision decision, Plan.Claim claim, ExchangeFacts facts) {
			Attempt attempt = claim.attempt();
			if (!(decision instanceof Decision.Proceed proceeding)) {
				return Mono.defer(() -> answer((Decision.Answer) decision, attempt));
			}
			Execution execution = proceeding.execution();
			try {
				ReactiveRun run = new ReactiveRun(this.carried, facts, this.operation, this.handler, execution,
						(owner) -> this.calls.stepsOf(execution, attempt.fingerprint(), this.operation.policy(), owner),
						this.engine, ReactiveGate.this.rules, claim.expires());
				if (this.dispatch.arm(run)) {
					return Mono.defer(() -> ReactiveIdempotencyContext.bindNow(this.context, run, handler(run)));
				}
			}
			catch (Throwable ex) {
				FirstFailure.then(ex, execution::close);
				throw ex;
			}
			execution.close();
			return Mono.empty();
		}

		private Mono<T> answer(Decision.Answer answer, Attempt attempt) {
			try {
				return this.carried.answerWith(ReplayedAnswer.of(answer, attempt.key())).then(Mono.empty());
			}
			catch (IdempotencyException ex) {
				return refuse(ex);
			}
		}

		/**
		 * Reports what would happen.
		 */
		private Mono<T> rehearse(Plan.DryRun dryRun) {
			IdempotencyKey key = dryRun.key();
			Attempt attempt = dryRun.attempt();
			Mono<Preview> preview = (attempt != null)
					? this.engine.preview(attempt)
						.onErrorMap(UnsupportedOperationException.class, DryRunUnsupportedException::new)
					: Mono.just(new Preview(null, Optional.empty()));
			return preview.onErrorResume(IdempotencyException.class, this::refuse)
				.flatMap((seen) -> this.carried.answerWith(DryRunReport.of(seen, (key != null) ? key.value() : null))
					.then(Mono.empty()));
		}

		private <V> Mono<V> refuse(IdempotencyException problem) {
			return this.carried.request().discard(this.operation.limits().request()).then(Mono.defer(() -> {
				this.carried.refused(problem);
				ReactiveAnswers.writeEffect(EffectHeader.NONE, this.carried.response());
				return Mono.error(problem);
			}));
		}

	}

}
