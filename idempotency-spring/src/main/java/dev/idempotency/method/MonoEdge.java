package dev.idempotency.method;

import java.util.Objects;
import java.util.Optional;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyException;
import dev.idempotency.ReplayedFailureException;
import dev.idempotency.call.Calls;
import dev.idempotency.call.RunningCall;
import dev.idempotency.core.Attempt;
import dev.idempotency.reactive.ReactiveCalls;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Runs calls of protected methods that return a {@link Mono}. Each subscription is a call
 * of its own, with the key that was resolved when the method was called.
 */
final class MonoEdge {

	private final ReactiveCalls calls;

	private final boolean joinsCaller;

	/**
	 * Create an edge.
	 * @param calls runs the calls
	 * @param joinsCaller whether the method takes part in its caller's transaction
	 */
	MonoEdge(Calls calls, boolean joinsCaller) {
		this.calls = new ReactiveCalls(calls);
		this.joinsCaller = joinsCaller;
	}

	/**
	 * Runs a call.
	 * @return a {@link Mono}; declared as an object, because callers may be used without
	 * Reactor
	 */
	Object call(MethodInvocation invocation, Object bean, MethodOperation operation) {
		@Nullable Object[] arguments = invocation.getArguments().clone();
		Attempt attempt;
		try {
			attempt = operation.attempt(arguments);
		}
		catch (IdempotencyException ex) {
			return Mono.error(ex);
		}
		// An invocation can proceed only once
		ProxyMethodInvocation template = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation)
			.invocableClone(arguments);
		Mono<Object> call = Mono
			.defer(() -> this.calls.run(attempt, operation.format(), new Run(template, arguments, bean, operation)))
			.onErrorMap(ReplayedFailureException.class,
					(ex) -> ReplayedFailures.rebuild(ex, operation.storeExceptions()));
		return this.joinsCaller ? requireNoTransaction(operation).then(call) : call;
	}

	/**
	 * Refuses to take part in a caller's transaction. A key could be completed after its
	 * commit, but nothing tells of a rollback to a savepoint in it.
	 */
	private static Mono<Void> requireNoTransaction(MethodOperation operation) {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.onErrorComplete(NoTransactionException.class)
			.filter(TransactionSynchronizationManager::isActualTransactionActive)
			.flatMap((transaction) -> Mono.error(new IllegalStateException(
					("%s was called in a reactive transaction of its caller. Its key cannot be completed with that "
							+ "transaction. Let it begin its own (propagation = REQUIRES_NEW), or call it outside")
						.formatted(operation.name()))));
	}

	/**
	 * The return value of a method, with a context for its pipeline.
	 */
	static Object inContext(Object result, IdempotencyContext operation) {
		if (result instanceof Mono<?> mono) {
			return mono.contextWrite((context) -> ReactiveIdempotencyContext.bind(context, operation));
		}
		return (result instanceof Flux<?> flux)
				? flux.contextWrite((context) -> ReactiveIdempotencyContext.bind(context, operation)) : result;
	}

	/**
	 * One subscription.
	 */
	private static final class Run implements ReactiveCalls.Work {

		private final ProxyMethodInvocation template;

		private final @Nullable Object[] arguments;

		private final Object bean;

		private final MethodOperation operation;

		/**
		 * Whether the method has begun. An earlier failure is not a failure of the
		 * method.
		 */
		private volatile boolean begun;

		private Run(ProxyMethodInvocation template, @Nullable Object[] arguments, Object bean,
				MethodOperation operation) {
			this.template = template;
			this.arguments = arguments;
			this.bean = bean;
			this.operation = operation;
		}

		@Override
		public Mono<?> begin(RunningCall call) throws Throwable {
			Verification verification = this.operation.verification();
			if (verification == null || !call.mayHaveRun()) {
				return proceed();
			}
			return ask(verification, call).flatMap((answer) -> {
				if (answer.isPresent()) {
					return Mono.justOrEmpty(answer.get().result());
				}
				IdempotencyException refusal = this.operation.refusalIfUnknown(call);
				return (refusal != null) ? Mono.error(refusal) : proceedLater(call);
			});
		}

		@Override
		public boolean stores(Throwable failure) {
			return this.begun && this.operation.stores(failure);
		}

		private Mono<?> proceed() throws Throwable {
			this.begun = true;
			return (Mono<?>) Objects.requireNonNull(this.template.invocableClone().proceed(),
					() -> "%s returned no Mono".formatted(this.operation.name()));
		}

		private Mono<?> proceedLater(RunningCall call) {
			try (Binding binding = call.makeCurrent()) {
				Objects.requireNonNull(binding);
				return proceed();
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		}

		/**
		 * Calls the verification, which may block.
		 */
		private Mono<Optional<Verification.Answer>> ask(Verification verification, RunningCall call) throws Throwable {
			if (verification.answersLater()) {
				Mono<?> answer = (Mono<?>) Objects.requireNonNull(verification.invoke(this.bean, this.arguments),
						"the verification returned no Mono");
				return answer.map((known) -> Optional.ofNullable(verification.answerOf(known)))
					.defaultIfEmpty(Optional.empty());
			}
			return Mono.<Optional<Verification.Answer>>create((sink) -> {
				Optional<Verification.Answer> answer;
				try (Binding binding = call.makeCurrent()) {
					Objects.requireNonNull(binding);
					answer = Optional.ofNullable(verification.ask(this.bean, this.arguments));
				}
				catch (Throwable ex) {
					sink.error(ex);
					return;
				}
				sink.success(answer);
			}).subscribeOn(Schedulers.boundedElastic());
		}

	}

}
