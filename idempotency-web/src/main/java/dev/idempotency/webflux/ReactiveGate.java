package dev.idempotency.webflux;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.call.Calls;
import dev.idempotency.call.UnprotectedContext;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.Preview;
import dev.idempotency.http.DryRunHeader;
import dev.idempotency.http.DryRunReport;
import dev.idempotency.http.DryRunUnsupportedException;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.KeySource;
import dev.idempotency.http.OperationNames;
import dev.idempotency.http.Problems;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedOperations;
import dev.idempotency.http.ReplayedAnswer;
import dev.idempotency.http.RequestContent;
import dev.idempotency.reactive.ReactiveEngine;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebSession;

/**
 * Decides whether the handler of a protected request runs, without blocking.
 */
final class ReactiveGate implements ReactiveAdmission {

	private final ReactiveEngine engine;

	private final Calls calls;

	private final ReactiveHttpStrategies strategies;

	private final ContentReader contentReader;

	private final ReactiveAnswerRules rules;

	private final OperationNames names = new OperationNames();

	ReactiveGate(ReactiveEngine engine, Calls calls, ReactiveHttpStrategies strategies, ContentReader contentReader,
			ReactiveAnswerRules rules) {
		this.engine = engine;
		this.calls = calls;
		this.strategies = strategies;
		this.contentReader = contentReader;
		this.rules = rules;
	}

	@Override
	public <T> Mono<T> admit(ServerWebExchange exchange, Object handler, ProtectedOperation operation,
			Function<@Nullable ReactiveRun, Mono<T>> proceed) {
		return Mono.deferContextual((context) -> {
			ReactiveExchange carried = ReactiveExchange.of(context);
			if (carried == null) {
				return Mono.error(new IllegalStateException(
						"%s is protected, but its request did not come through the IdempotencyHttpHandler"
							.formatted(handler)));
			}
			if (!carried.isUndecided()) {
				// A filter that dispatches again
				return proceed.apply(null);
			}
			return new Case<>(context, carried, exchange, handler, operation, proceed).decide();
		});
	}

	/**
	 * Whether a request is a dry run. Few requests have the header.
	 */
	static boolean asksForDryRun(ServerWebExchange exchange) {
		List<String> fields = exchange.getRequest().getHeaders().get(DryRunHeader.NAME);
		return fields != null && DryRunHeader.asksForDryRun(Collections.enumeration(fields));
	}

	/**
	 * An operation as the settings configure it by name.
	 */
	static ProtectedOperation named(ProtectedOperations operations, ProtectedOperation operation,
			ServerWebExchange exchange) {
		Object pattern = operations.areNamed() ? patternOf(exchange) : null;
		return (pattern != null) ? operations.named(operation,
				OperationNames.name(exchange.getRequest().getMethod().name(), pattern.toString())) : operation;
	}

	static @Nullable Object patternOf(ServerWebExchange exchange) {
		return exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
	}

	/**
	 * A request to decide about.
	 */
	private final class Case<T> {

		private final ContextView context;

		private final ReactiveExchange carried;

		private final ServerWebExchange exchange;

		private final Object handler;

		private final ProtectedOperation operation;

		private final Function<@Nullable ReactiveRun, Mono<T>> proceed;

		private final String name;

		private Case(ContextView context, ReactiveExchange carried, ServerWebExchange exchange, Object handler,
				ProtectedOperation operation, Function<@Nullable ReactiveRun, Mono<T>> proceed) {
			this.context = context;
			this.carried = carried;
			this.exchange = exchange;
			this.handler = handler;
			this.operation = operation;
			this.proceed = proceed;
			this.name = ReactiveGate.this.names.of(exchange.getRequest().getMethod().name(), patternOf(exchange),
					exchange.getRequest().getPath().value());
		}

		/**
		 * Finds out first whether anything may run. That must not depend on the key, the
		 * body or the mode.
		 */
		private Mono<T> decide() {
			boolean dryRun;
			try {
				dryRun = asksForDryRun(this.exchange);
			}
			catch (IdempotencyException ex) {
				return refuse(ex);
			}
			return prepare().flatMap((prepared) -> dryRun ? rehearse(prepared) : begin(prepared));
		}

		private Mono<Prepared> prepare() {
			return ReactiveGate.this.strategies.scopeResolver()
				.resolveScope(this.exchange, this.name)
				.switchIfEmpty(Mono.error(() -> new IllegalStateException(
						"The ReactiveScopeResolver returned no scope for a request of %s".formatted(this.name))))
				.<Supplier<IdempotencyScope>>map((scope) -> () -> scope)
				.onErrorResume(IdempotencyException.class, (ex) -> Mono.just(() -> {
					// A request without a key, if none is required, needs no scope
					throw ex;
				}))
				.flatMap(this::prepare)
				.onErrorResume(IdempotencyException.class, this::rejectUnlessObserving);
		}

		private Mono<Prepared> prepare(Supplier<IdempotencyScope> scope) {
			if (this.operation.keySource().needsContent()) {
				return readContent().flatMap((content) -> sessionIfNeeded().map((session) -> {
					ExchangeFacts facts = facts(scope, content, session.orElse(null));
					return prepare(facts, keyOf(facts));
				}));
			}
			// A request that is refused for its head alone is refused before its body is
			// read
			IdempotencyKey key = keyOf(facts(scope, null, null));
			return (key == null) ? Mono.just(Prepared.NOTHING)
					: readContent().map((content) -> prepare(facts(scope, content, null), key));
		}

		private Mono<RequestContent> readContent() {
			return ReactiveGate.this.contentReader.read(this.exchange, this.carried.request(),
					this.operation.limits().request());
		}

		private Mono<Optional<String>> sessionIfNeeded() {
			return this.operation.keySource().isDerived() ? sessionOf(this.exchange) : Mono.just(Optional.empty());
		}

		private ExchangeFacts facts(Supplier<IdempotencyScope> scope, @Nullable RequestContent content,
				@Nullable String session) {
			return new ExchangeFacts(this.exchange, scope, ReactiveGate.this.strategies, content, session);
		}

		private Prepared prepare(ExchangeFacts facts, @Nullable IdempotencyKey key) {
			if (key == null) {
				return Prepared.NOTHING;
			}
			Fingerprint fingerprint = this.operation.fingerprinted() ? facts.fingerprint() : Fingerprint.none();
			return new Prepared(key, new Attempt(key, fingerprint, this.operation.policy()));
		}

		private @Nullable IdempotencyKey keyOf(ExchangeFacts facts) {
			KeySource source = this.operation.keySource();
			String value = this.operation.required() ? source.resolve(facts) : source.resolveIfPresent(facts);
			return (value != null) ? qualified(facts.scope(), value) : null;
		}

		private IdempotencyKey qualified(IdempotencyScope scope, String value) {
			try {
				return new IdempotencyKey(scope.within(ReactiveGate.this.engine.engine().settings().namespace()),
						value);
			}
			catch (IllegalArgumentException ex) {
				throw new IdempotencyKeyInvalidException("The key cannot be used: it is blank, too long or malformed.");
			}
		}

		private Mono<Prepared> rejectUnlessObserving(IdempotencyException problem) {
			if (!Problems.isAboutRequest(problem.reason())
					|| ReactiveGate.this.engine.engine().reject(this.name, problem.reason())) {
				return refuse(problem);
			}
			return Mono.just(Prepared.NOTHING);
		}

		private Mono<T> begin(Prepared prepared) {
			Attempt attempt = prepared.attempt();
			if (attempt == null) {
				return unprotected(new UnprotectedContext(UnprotectedContext.randomKey(this.name)));
			}
			return ReactiveGate.this.engine.begin(attempt, (decision) -> taken(decision, attempt))
				.onErrorResume(IdempotencyException.class, this::refuse)
				.flatMap((taken) -> {
					ReactiveRun run = taken.run();
					if (run != null) {
						return CurrentOperation.bind(this.context, run, this.proceed.apply(run));
					}
					return (taken.answer() != null) ? answer(taken.answer(), attempt) : Mono.empty();
				});
		}

		private Mono<T> unprotected(UnprotectedContext context) {
			return CurrentOperation.bind(this.context, context, this.proceed.apply(null));
		}

		/**
		 * Runs on the thread that has decided: otherwise an execution whose client has
		 * disconnected would never end.
		 */
		private Taken taken(Decision decision, Attempt attempt) {
			if (!(decision instanceof Decision.Proceed proceeding)) {
				return new Taken(null, (Decision.Answer) decision);
			}
			Execution execution = proceeding.execution();
			try {
				ReactiveRun run = new ReactiveRun(this.carried, this.exchange, this.operation, this.handler, execution,
						(owner) -> ReactiveGate.this.calls.stepsOf(execution, attempt.fingerprint(),
								this.operation.policy(), owner),
						ReactiveGate.this.engine, ReactiveGate.this.rules);
				if (this.carried.arm(run)) {
					return new Taken(run, null);
				}
			}
			catch (Throwable ex) {
				FirstFailure.then(ex, execution::close);
				throw ex;
			}
			execution.close();
			return new Taken(null, null);
		}

		private Mono<T> answer(Decision.Answer answer, Attempt attempt) {
			try {
				this.carried.answerWith(ReplayedAnswer.of(answer, attempt.key()));
				return Mono.empty();
			}
			catch (IdempotencyException ex) {
				return refuse(ex);
			}
		}

		/**
		 * Reports what would happen.
		 */
		private Mono<T> rehearse(Prepared prepared) {
			IdempotencyKey key = prepared.key();
			Attempt attempt = prepared.attempt();
			Mono<Preview> preview = (attempt != null)
					? ReactiveGate.this.engine.preview(attempt)
						.onErrorMap(UnsupportedOperationException.class, DryRunUnsupportedException::new)
					: Mono.just(new Preview(null, Optional.empty()));
			return preview.onErrorResume(IdempotencyException.class, this::refuse).flatMap((seen) -> {
				this.carried.answerWith(DryRunReport.of(seen, (key != null) ? key.value() : null));
				return Mono.empty();
			});
		}

		private <V> Mono<V> refuse(IdempotencyException problem) {
			return this.carried.request().discard(this.operation.limits().request()).then(Mono.defer(() -> {
				this.carried.refused(problem);
				ReactiveAnswers.writeEffect(EffectHeader.NONE, this.carried.response());
				return Mono.error(problem);
			}));
		}

	}

	private static Mono<Optional<String>> sessionOf(ServerWebExchange exchange) {
		return exchange.getSession()
			.filter(WebSession::isStarted)
			.map((session) -> Optional.of(session.getId()))
			.defaultIfEmpty(Optional.empty());
	}

	/**
	 * What is known before anything is claimed.
	 *
	 * @param key the key, or {@code null} if there is none
	 * @param attempt the attempt, or {@code null} if the request runs unprotected
	 */
	private record Prepared(@Nullable IdempotencyKey key, @Nullable Attempt attempt) {

		private static final Prepared NOTHING = new Prepared(null, null);

	}

	/**
	 * What was decided.
	 *
	 * @param run the handler that runs, if one does
	 * @param answer what is known, if it does not run; neither is present if the client
	 * has disconnected
	 */
	private record Taken(@Nullable ReactiveRun run, Decision.@Nullable Answer answer) {
	}

}
