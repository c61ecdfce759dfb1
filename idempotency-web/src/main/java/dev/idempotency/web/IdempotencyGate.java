package dev.idempotency.web;

import java.util.Objects;
import java.util.Optional;

import dev.idempotency.DryRun;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.Steps;
import dev.idempotency.call.Calls;
import dev.idempotency.call.UnprotectedContext;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.Execution;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.Preview;
import dev.idempotency.core.Transactions;
import dev.idempotency.core.Transactions.Transaction;
import dev.idempotency.http.DryRunHeader;
import dev.idempotency.http.DryRunReport;
import dev.idempotency.http.DryRunUnsupportedException;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.KeySource;
import dev.idempotency.http.Problems;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ReplayedAnswer;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Decides whether the handler of a protected request runs.
 */
final class IdempotencyGate implements Admission {

	private final IdempotencyEngine engine;

	private final Calls calls;

	private final HttpStrategies strategies;

	private final @Nullable Transactions transactions;

	private final ServletNames names = new ServletNames();

	IdempotencyGate(IdempotencyEngine engine, Calls calls, HttpStrategies strategies,
			@Nullable Transactions transactions) {
		this.engine = engine;
		this.calls = calls;
		this.strategies = strategies;
		this.transactions = transactions;
	}

	@Override
	public void requireTransactions(ProtectedOperation operation, Object handler) {
		if (operation.transactional()) {
			this.engine.requireJoining(this.transactions, handler.toString());
		}
		if (operation.dryRun() == DryRun.ROLLBACK && this.transactions == null) {
			throw Transactions.missing(handler, "dryRun = ROLLBACK");
		}
	}

	@Override
	public @Nullable Pass admit(HttpServletRequest request, Object handler, ProtectedOperation operation) {
		Exchange exchange = Exchange.of(request);
		if (exchange == null) {
			throw new IllegalStateException(
					"%s is protected, but its request did not come through the IdempotencyFilter".formatted(handler));
		}
		if (!exchange.handling().isUndecided() || UnprotectedRun.isOver(request)) {
			// Dispatched again: after asynchronous processing, for an error, or as a
			// forward
			return Pass.NOTHING;
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

	/**
	 * Recognizes a dry run before anything else: that must not depend on the key, the
	 * body or the mode.
	 */
	private @Nullable Pass decide(Exchange exchange, HttpServletRequest request, Object handler,
			ProtectedOperation operation) {
		boolean dryRun = asksForDryRun(request);
		String name = this.names.of(request);
		IdempotencyKey key = null;
		Attempt attempt = null;
		try {
			ServletFacts facts = new ServletFacts(request, name, this.strategies, exchange,
					operation.limits().request());
			key = keyOf(operation, facts);
			attempt = (key != null) ? attempt(operation, facts, key) : null;
		}
		catch (IdempotencyException ex) {
			if (!Problems.isAboutRequest(ex.reason()) || this.engine.reject(name, ex.reason())) {
				throw ex;
			}
			exchange.admitNevertheless();
		}
		if (dryRun) {
			return rehearse(exchange, handler, operation, key, attempt);
		}
		if (attempt != null) {
			return begin(exchange, handler, operation, attempt);
		}
		return UnprotectedRun.begin(request,
				new UnprotectedContext((key != null) ? key : UnprotectedContext.randomKey(name)));
	}

	private @Nullable IdempotencyKey keyOf(ProtectedOperation operation, ServletFacts facts) {
		KeySource source = operation.keySource();
		String value = operation.required() ? source.resolve(facts) : source.resolveIfPresent(facts);
		return (value != null) ? qualified(facts, value) : null;
	}

	private static Attempt attempt(ProtectedOperation operation, ServletFacts facts, IdempotencyKey key) {
		Fingerprint fingerprint = operation.fingerprinted() ? facts.fingerprint() : Fingerprint.none();
		facts.requireContentWithinLimit();
		return new Attempt(key, fingerprint, operation.policy());
	}

	private IdempotencyKey qualified(ServletFacts facts, String value) {
		try {
			return new IdempotencyKey(facts.scope().within(this.engine.settings().namespace()), value);
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyKeyInvalidException("The key cannot be used: it is blank, too long or malformed.");
		}
	}

	private @Nullable Pass begin(Exchange exchange, Object handler, ProtectedOperation operation, Attempt attempt) {
		Decision decision = this.engine.begin(attempt);
		if (decision instanceof Decision.Proceed proceed) {
			ProtectedRun run = arm(exchange, handler, operation, attempt, proceed.execution());
			if (operation.transactional()) {
				run.runIn(beginTransaction(run));
			}
			return pass(run, exchange, operation, null);
		}
		exchange.answerWith(ReplayedAnswer.of((Decision.Answer) decision, attempt.key()));
		return null;
	}

	private ProtectedRun arm(Exchange exchange, Object handler, ProtectedOperation operation, Attempt attempt,
			Execution execution) {
		try {
			Steps steps = this.calls.stepsOf(execution, attempt.fingerprint(), operation.policy());
			return exchange.arm(new ProtectedRun(exchange, operation, handler, execution.key(), execution, steps));
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
	private @Nullable Pass rehearse(Exchange exchange, Object handler, ProtectedOperation operation,
			@Nullable IdempotencyKey key, @Nullable Attempt attempt) {
		Preview preview = (attempt != null) ? preview(attempt) : new Preview(null, Optional.empty());
		if (preview.runs() && operation.dryRun() == DryRun.ROLLBACK) {
			IdempotencyKey known = (key != null) ? key
					: UnprotectedContext.randomKey(ServletNames.name(exchange.request()));
			ProtectedRun run = exchange.arm(new ProtectedRun(exchange, operation, handler, known, null, null));
			return pass(run, exchange, operation, beginTransaction(run));
		}
		exchange.answerWith(DryRunReport.of(preview, (key != null) ? key.value() : null));
		return null;
	}

	private Preview preview(Attempt attempt) {
		try {
			return this.engine.preview(attempt);
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
			if (operation.tasks()) {
				WebAsyncUtils.getAsyncManager(exchange.request())
					.registerCallableInterceptor(IdempotencyGate.class, new TaskWatch(run));
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

	/**
	 * Whether a request is a dry run. Hardly any has the header.
	 */
	static boolean asksForDryRun(HttpServletRequest request) {
		return request.getHeader(DryRunHeader.NAME) != null
				&& DryRunHeader.asksForDryRun(request.getHeaders(DryRunHeader.NAME));
	}

}
