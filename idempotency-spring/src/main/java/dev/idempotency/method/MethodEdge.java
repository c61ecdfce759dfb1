package dev.idempotency.method;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.ReplayedFailureException;
import dev.idempotency.call.CallState;
import dev.idempotency.call.Calls;
import dev.idempotency.call.RunningCall;
import dev.idempotency.call.StoredFailure;
import dev.idempotency.call.ToolOperations;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.Transactions;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.method.MethodOperation.Delivery;
import dev.idempotency.method.MethodOperation.TransactionScope;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs calls of protected methods, from the claim to the result.
 */
@SuppressWarnings("FutureReturnValueIgnored") // It is what the method returns
final class MethodEdge {

	private static final Logger logger = LoggerFactory.getLogger(MethodEdge.class);

	private final IdempotencyEngine engine;

	private final Calls calls;

	private final MethodOperations operations;

	private final TransactionAdvice transactionAdvice;

	private final @Nullable Transactions transactions;

	MethodEdge(IdempotencyEngine engine, Calls calls, MethodOperations operations, TransactionAdvice transactionAdvice,
			@Nullable Transactions transactions) {
		this.engine = engine;
		this.calls = calls;
		this.operations = operations;
		this.transactionAdvice = transactionAdvice;
		this.transactions = transactions;
	}

	MethodOperations operations() {
		return this.operations;
	}

	@Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object bean = Objects.requireNonNull(invocation.getThis(), "a protected method belongs to a bean");
		if (this.operations.isProtectedByItsCallback(invocation.getMethod(), bean.getClass())) {
			requireCallback(invocation.getMethod());
			return invocation.proceed();
		}
		MethodOperation operation = this.operations.operationOf(invocation.getMethod(), bean.getClass());
		return switch (operation.delivery()) {
			case NOW -> call(invocation, bean, operation);
			case FUTURE -> callLater(invocation, bean, operation);
			case MONO ->
				new MonoEdge(this.calls, this.transactionAdvice.joinsCaller(invocation.getMethod(), bean.getClass()))
					.call(invocation, bean, operation);
		};
	}

	private CompletableFuture<?> callLater(MethodInvocation invocation, Object bean, MethodOperation operation)
			throws Throwable {
		try {
			Object result = call(invocation, bean, operation);
			// A stored result is never a future itself, because it is JSON
			return (result instanceof CompletableFuture<?> later) ? later : CompletableFuture.completedFuture(result);
		}
		catch (IdempotencyException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Makes sure that a call of a tool without a key comes through a callback that
	 * protects it, because only the callback knows the session.
	 */
	private static void requireCallback(Method method) {
		IdempotencyContext around = IdempotencyContext.find().orElse(null);
		if (around == null || !ToolOperations.isTool(around.key().scope().operation())) {
			throw new IdempotencyKeyMissingException(
					("%s is an @Idempotent tool without a key, and was not called through a protected tool callback. "
							+ "Provide it in a ToolCallbackProvider bean, wrap its callbacks with IdempotentTools, or write a key over "
							+ "its arguments")
						.formatted(method));
		}
	}

	private @Nullable Object call(MethodInvocation invocation, Object bean, MethodOperation operation)
			throws Throwable {
		@Nullable Object[] arguments = invocation.getArguments();
		Attempt attempt = operation.attempt(arguments);
		JoinedCalls caller = callersTransaction(operation, invocation.getMethod(), bean.getClass());
		JoinedCalls.Pending earlier = (caller != null) ? caller.find(attempt.key()) : null;
		try {
			if (earlier != null) {
				return earlier.value();
			}
			CallState state = this.calls.begin(attempt, operation.format());
			if (!(state instanceof CallState.Running running)) {
				return this.calls.valueOrThrow(state, attempt);
			}
			RunningCall call = running.call();
			if (call.mayHaveRun() && operation.verification() != null) {
				Verification.Answer answer = ask(operation.verification(), bean, arguments, call);
				if (answer != null) {
					return this.calls.valueOrThrow(call.succeeded(answer.result()), attempt);
				}
				refuseIfUnknown(operation, call);
			}
			return new Run(invocation, bean.getClass(), operation, attempt, call, caller).run();
		}
		catch (ReplayedFailureException ex) {
			Throwable failure = ReplayedFailures.rebuild(ex, operation.storeExceptions());
			if (operation.delivery() == Delivery.FUTURE) {
				return CompletableFuture.failedFuture(failure);
			}
			throw failure;
		}
	}

	/**
	 * The caller's transaction that a method takes part in.
	 * @return {@code null} if there is none, or it does not matter
	 */
	private @Nullable JoinedCalls callersTransaction(MethodOperation operation, Method method, Class<?> type) {
		return switch (operation.scope()) {
			case NONE -> null;
			case FOLLOWS_CALLER -> this.transactionAdvice.callersTransaction(method, type);
			case JOINS -> this.engine.isInTransaction() ? JoinedCalls.current(this.transactions) : null;
		};
	}

	private static Verification.@Nullable Answer ask(Verification verification, Object bean,
			@Nullable Object[] arguments, RunningCall call) throws Throwable {
		boolean answered = false;
		try (Binding binding = call.makeCurrent()) {
			Objects.requireNonNull(binding);
			Verification.Answer answer = verification.ask(bean, arguments);
			answered = true;
			return answer;
		}
		finally {
			if (!answered) {
				call.undone();
			}
		}
	}

	private static void refuseIfUnknown(MethodOperation operation, RunningCall call) {
		IdempotencyException refusal = operation.refusalIfUnknown(call);
		if (refusal != null) {
			call.undone();
			throw refusal;
		}
	}

	/**
	 * A method that runs under a claim.
	 */
	private final class Run {

		private final MethodInvocation invocation;

		private final MethodOperation operation;

		private final Attempt attempt;

		private final RunningCall call;

		private final @Nullable JoinedCalls caller;

		private final Class<?> type;

		private Run(MethodInvocation invocation, Class<?> type, MethodOperation operation, Attempt attempt,
				RunningCall call, @Nullable JoinedCalls caller) {
			this.invocation = invocation;
			this.type = type;
			this.operation = operation;
			this.attempt = attempt;
			this.call = call;
			this.caller = caller;
		}

		private @Nullable Object run() throws Throwable {
			Transaction own = ownTransaction();
			OwnTransaction inside = inside();
			Object value;
			try (inside; Binding binding = this.call.makeCurrent()) {
				Objects.requireNonNull(binding);
				value = this.invocation.proceed();
			}
			catch (Throwable ex) {
				if (own != null) {
					rollBack(own);
				}
				else if (this.caller != null && this.operation.stores(ex)) {
					JoinedCalls shared = this.caller;
					FirstFailure.then(ex, () -> enlist(shared, StoredFailure.of(ex)));
					throw ex;
				}
				else if (this.caller != null && isJoining()) {
					this.caller.forbidCommit(this.call.key());
				}
				if (inside.isCommitted() && !this.operation.stores(ex)) {
					// The method has run, and must not run again
					this.call.succeededWithoutResult();
					throw ex;
				}
				return failed(ex);
			}
			if (this.operation.delivery() == Delivery.FUTURE && value != null) {
				return later((CompletionStage<?>) value, inside.isRolledBack());
			}
			if (inside.isRolledBack()) {
				if (own != null) {
					rollBack(own);
				}
				return undone(value);
			}
			if (own != null) {
				return MethodEdge.this.calls.valueOrThrow(this.call.succeededIn(own, value), this.attempt);
			}
			if (this.caller != null) {
				return enlist(this.caller, value);
			}
			return MethodEdge.this.calls.valueOrThrow(this.call.succeeded(value), this.attempt);
		}

		/**
		 * The transaction of the method's own annotation.
		 */
		private OwnTransaction inside() {
			Transactions joined = isJoining() ? MethodEdge.this.transactions : null;
			return MethodEdge.this.transactionAdvice.ownTransaction(this.invocation.getMethod(), this.type,
					(joined != null) ? joined.manager() : null);
		}

		/**
		 * The method has undone its work without an exception, and returns what it likes.
		 */
		private @Nullable Object undone(@Nullable Object value) {
			this.call.undone();
			return value;
		}

		private boolean isJoining() {
			return this.operation.scope() == TransactionScope.JOINS;
		}

		/**
		 * The result, a value or a failure, counts once the caller's transaction commits.
		 */
		private @Nullable Object enlist(JoinedCalls caller, @Nullable Object result) {
			caller.enlist(new JoinedCalls.Pending(this.attempt.key(), this.call, result, isJoining()));
			return isJoining() ? join(caller, result) : result;
		}

		/**
		 * Completes the key in the caller's transaction at once, because it is unknown
		 * when that commits, or whether it rolls back to a savepoint.
		 */
		private @Nullable Object join(JoinedCalls caller, @Nullable Object value) {
			boolean joined = false;
			try {
				CallState state = this.call.joinTransaction(value);
				if (state instanceof CallState.Replayed) {
					throw new IllegalStateException(
							"%s was run by another attempt meanwhile, and must not be committed twice"
								.formatted(this.call.key()));
				}
				Object result = MethodEdge.this.calls.valueOrThrow(state, this.attempt);
				joined = true;
				return result;
			}
			finally {
				if (!joined) {
					caller.forbidCommit(this.call.key());
				}
			}
		}

		private @Nullable Transaction ownTransaction() {
			if (!isJoining() || this.caller != null) {
				return null;
			}
			boolean begun = false;
			try {
				Transaction transaction = Objects.requireNonNull(MethodEdge.this.transactions, "checked at startup")
					.begin();
				begun = true;
				return transaction;
			}
			finally {
				if (!begun) {
					this.call.undone();
				}
			}
		}

		private void rollBack(Transaction transaction) {
			try {
				transaction.rollBack();
			}
			catch (Throwable ex) {
				// The exception of the method says more
				logger.warn("Failed to roll back the transaction of {}: {}", this.call.key(), ex.toString());
				logger.debug("The failure in full", ex);
			}
		}

		/**
		 * The method failed.
		 * @return the result of another attempt
		 */
		private @Nullable Object failed(Throwable failure) throws Throwable {
			if (!this.operation.stores(failure)) {
				if (isJoining()) {
					// Its transaction has undone the work
					this.call.undone();
				}
				else {
					this.call.failed(failure);
				}
				throw failure;
			}
			CallState state = this.call.failedForGood(failure);
			if (state instanceof CallState.Executed) {
				throw failure;
			}
			return MethodEdge.this.calls.valueOrThrow(state, this.attempt);
		}

		private CompletableFuture<@Nullable Object> later(CompletionStage<?> stage, boolean undone) {
			CompletableFuture<@Nullable Object> later = new CompletableFuture<>();
			CompletionStage<?> ended = stage.whenComplete((value, failure) -> {
				try {
					later.complete((failure != null) ? failed(unwrap(failure)) : undone ? undone(value)
							: MethodEdge.this.calls.valueOrThrow(this.call.succeeded(value), this.attempt));
				}
				catch (ReplayedFailureException ex) {
					later.completeExceptionally(ReplayedFailures.rebuild(ex, this.operation.storeExceptions()));
				}
				catch (Throwable ex) {
					later.completeExceptionally(ex);
				}
			});
			Objects.requireNonNull(ended);
			return later;
		}

		private static Throwable unwrap(Throwable failure) {
			return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
					: failure;
		}

	}

}
