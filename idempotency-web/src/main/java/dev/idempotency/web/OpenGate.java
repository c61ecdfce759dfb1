package dev.idempotency.web;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.UnprotectedContext;
import dev.idempotency.http.DryRunUnsupportedException;
import dev.idempotency.http.ProtectedOperation;
import jakarta.servlet.http.HttpServletRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gate when protection is switched off. It lets everything through except dry runs,
 * and nothing is wrapped, read ahead or stored.
 */
final class OpenGate implements Admission {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyInterceptor.class);

	private final HttpStrategies strategies;

	OpenGate(HttpStrategies strategies) {
		this.strategies = strategies;
	}

	@Override
	public Pass admit(HttpServletRequest request, Object handler, ProtectedOperation operation) {
		if (UnprotectedRun.isOver(request)) {
			return Pass.NOTHING;
		}
		if (IdempotencyGate.asksForDryRun(request)) {
			throw new DryRunUnsupportedException();
		}
		return UnprotectedRun.begin(request, new UnprotectedContext(keyOf(request, operation)));
	}

	/**
	 * The key of the request, if it can be resolved without the body. Protection may be
	 * switched off because that fails, so a failure is not passed on.
	 */
	private IdempotencyKey keyOf(HttpServletRequest request, ProtectedOperation operation) {
		String name = ServletNames.name(request);
		try {
			ServletFacts facts = new ServletFacts(request, name, this.strategies, null, 0);
			return new IdempotencyKey(facts.scope(), operation.keySource().resolve(facts));
		}
		catch (RuntimeException ex) {
			logger.debug("{} runs without protection and with a random key", name, ex);
			return UnprotectedContext.randomKey(name);
		}
	}

	@Override
	public void requireTransactions(ProtectedOperation operation, Object handler) {
		// Without protection there are no transactions
	}

}
