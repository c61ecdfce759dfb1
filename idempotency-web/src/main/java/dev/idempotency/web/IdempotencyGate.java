package dev.idempotency.web;

import java.util.Objects;
import java.util.Optional;

import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.call.Calls;
import dev.idempotency.call.UnprotectedContext;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.Preview;
import dev.idempotency.core.Transactions;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.http.DryRunReport;
import dev.idempotency.http.DryRunUnsupportedException;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.Gate;
import dev.idempotency.http.Gate.Plan;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedRequest;
import dev.idempotency.http.ReplayedAnswer;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Decides whether the handler of a protected request runs.
 */
final class IdempotencyGate {

	private final Gate gate;

	private final @Nullable Calls calls;

	private final @Nullable Transactions transactions;

	/**
	 * Create a gate.
	 * @param calls those of the application, or {@code null} if protection is switched
	 * off
	 */
	IdempotencyGate(Gate gate, @Nullable Calls calls, @Nullable Transactions transactions) {
		this.gate = gate;
		this.calls = calls;
		this.transactions = transactions;
	}

	/**
	 * Checks that an operation can run in transactions, if it is configured to.
	 * @throws IdempotencyConfigurationException if it cannot
	 */
	void requireTransactions(ProtectedOperation operation, Object handler) {
		if (this.gate.isOff()) {
			// Without protection there are no transactions
			return;
		}
		if (operation.transactional()) {
			calls().engine().requireJoining(this.transactions, handler.toString());
		}
		if (operation.dryRun() == DryRun.ROLLBACK && this.transactions == null) {
			throw Transactions.missing(handler, "dryRun = ROLLBACK");
		}
	}

	/**
	 * Decides about a request.
	 * @return what to do after the handler has returned, or {@code null} if it must not
	 * run because the response is known
	 * @throws IdempotencyException if it must not run and there is no response to send
	 */
	@Nullable Pass admit(HttpServletRequest request, Object handler, ProtectedOperation operation) {
		if (this.gate.isOff()) {
			return UnprotectedRun.isOver(request) ? Pass.NOTHING : decide(null, request, handler, operation);
		}
		Exchange exchange = Exchange.of(request);
		if (exchange == null) {
			throw new IllegalStateException(
					"%s is protected, but its request did not come through the IdempotencyFilter".formatted(handler));
		}
		if (UnprotectedRun.isOver(request)) {
			return Pass.NOTHING;
		}
		if (request.getDispatcherType() == DispatcherType.REQUEST && exchange.isLeft()
				&& calls().engine().settings().mode() == Mode.ENFORCE) {
			throw new IllegalStateException(
					"%s must not run without a claim: the filter that has dispatched its request ".formatted(handler)
							+ "again must come after the IdempotencyFilter, whose order is %d"
								.formatted(IdempotencyFilter.DEFAULT_ORDER));
		}
		if (!exchange.isUndecided()) {
			// Dispatched again: after asynchronous processing, for an error, as a forward
			// or by a filter that tries again
			return exchange.isAnswered() ? null : Pass.NOTHING;
		}
		exchange.outliveDispatch();
		try {
			return decide(exchange, request, handler, operation);
		}
		catch (IdempotencyException ex) {
			ServletAnswers.writeEffect(EffectHeader.NONE, exchange.response());
			exchange.refused(ex);
			exchange.request().discardBody();
			throw ex;
		}
		catch (RuntimeException | Error ex) {
			exchange.handlerNotReached(handler);
			throw ex;
		}
	}

	private @Nullable Pass decide(@Nullable Exchange exchange, HttpServletRequest request, Object handler,
			ProtectedOperation operation) {
		ProtectedRequest received = this.gate.receive(operation, ServletFacts.pattern(request),
				new ServletFacts(request, exchange, operation.limits().request()));
		Plan plan = this.gate.plan(received);
		if (exchange == null || plan instanceof Plan.Unprotected) {
			if (exchange != null) {
				exchange.admitNevertheless();
			}
			return UnprotectedRun.begin(request, ((Plan.Unprotected) plan).context());
		}
		if (plan instanceof Plan.Claim claim) {
			return begin(exchange, handler, operation, claim);
		}
		return rehearse(exchange, handler, operation, received.name(), (Plan.DryRun) plan);
	}

	private @Nullable Pass begin(Exchange exchange, Object handler, ProtectedOperation operation, Plan.Claim claim) {
		Attempt attempt = claim.attempt();
		Decision decision = calls().engine().begin(attempt);
		if (decision instanceof Decision.Proceed proceed) {
			ProtectedRun run = arm(exchange, handler, operation, claim, proceed.execution());
			if (operation.transactional()) {
				run.runIn(beginTransaction(run));
			}
			return pass(run, exchange, operation, null);
		}
		exchange.answerWith(ReplayedAnswer.of((Decision.Answer) decision, attempt.key()));
		return null;
	}

	private ProtectedRun arm(Exchange exchange, Object handler, ProtectedOperation operation, Plan.Claim claim,
			Execution execution) {
		try {
			Steps steps = calls().stepsOf(execution, claim.attempt().fingerprint(), operation.policy());
			return exchange.arm(
					new ProtectedRun(exchange, operation, handler, execution.key(), execution, steps, claim.expires()));
		}
		catch (Throwable ex) {
			// The execution would never end
			FirstFailure.then(ex, execution::close);
			throw ex;
		}
	}

	private Transaction beginTransaction(ProtectedRun run) {
		try {
			return Objects.requireNonNull(this.transactions, "checked at startup").begin();
		}
		catch (RuntimeException | Error ex) {
			run.handlerNotReached();
			throw ex;
		}
	}

	/**
	 * Reports what would happen. If the handler would run, and its work can be rolled
	 * back, it runs.
	 */
	private @Nullable Pass rehearse(Exchange exchange, Object handler, ProtectedOperation operation, String name,
			Plan.DryRun dryRun) {
		Attempt attempt = dryRun.attempt();
		IdempotencyKey key = dryRun.key();
		Preview preview = (attempt != null) ? preview(attempt) : new Preview(null, Optional.empty());
		if (preview.runs() && operation.dryRun() == DryRun.ROLLBACK) {
			IdempotencyKey known = (key != null) ? key : UnprotectedContext.randomKey(name);
			ProtectedRun run = exchange.arm(new ProtectedRun(exchange, operation, handler, known, null, null, null));
			return pass(run, exchange, operation, beginTransaction(run));
		}
		exchange.answerWith(DryRunReport.of(preview, (key != null) ? key.value() : null));
		return null;
	}

	private Preview preview(Attempt attempt) {
		try {
			return calls().engine().preview(attempt);
		}
		catch (UnsupportedOperationException ex) {
			throw new DryRunUnsupportedException(ex);
		}
	}

	/**
	 * Lets a handler run.
	 * @param dryRun the transaction that is rolled back when it has returned, or
	 * {@code null} if this is not a dry run
	 */
	private static Pass pass(ProtectedRun run, Exchange exchange, ProtectedOperation operation,
			@Nullable Transaction dryRun) {
		try {
			boolean events = operation.limits().events();
			if (operation.tasks() || events) {
				WebAsyncManager manager = WebAsyncUtils.getAsyncManager(exchange.request());
				TaskWatch watch = new TaskWatch(run);
				manager.registerCallableInterceptor(IdempotencyGate.class, watch);
				if (!operation.streams() || events) {
					// Emitters are deferred results, too. They notice themselves when
					// their client disconnects, and stop, unless their events are stored
					manager.registerDeferredResultInterceptor(IdempotencyGate.class, watch);
				}
			}
			Binding binding = run.makeCurrent();
			return (dryRun == null) ? binding::close : () -> {
				try {
					binding.close();
				}
				finally {
					dryRun.rollBack();
				}
			};
		}
		catch (Throwable ex) {
			if (dryRun != null) {
				FirstFailure.then(ex, dryRun::rollBack);
			}
			throw ex;
		}
	}

	private Calls calls() {
		return Objects.requireNonNull(this.calls, "protection is switched off");
	}

	/**
	 * Permission to run the handler.
	 */
	@FunctionalInterface
	interface Pass {

		/**
		 * Nothing to do after the handler.
		 */
		Pass NOTHING = () -> {
		};

		/**
		 * Called on the handler's thread when it has returned.
		 */
		void handlerReturned();

	}

}
