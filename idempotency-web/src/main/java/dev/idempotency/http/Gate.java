package dev.idempotency.http;

import java.time.Instant;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.UnprotectedContext;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.IdempotencyEngine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what a request to a protected operation is: one that is refused, a dry run, an
 * attempt at a key, or one that runs without protection. Spring MVC and WebFlux share it.
 */
public final class Gate {

	private static final Logger logger = LoggerFactory.getLogger(Gate.class);

	private final HttpStrategies strategies;

	private final @Nullable IdempotencyEngine engine;

	private final boolean expires;

	private final OperationNames names = new OperationNames();

	/**
	 * Create a gate.
	 * @param strategies the strategies of the application
	 * @param engine decides about keys, or {@code null} if protection is switched off:
	 * every request runs, except dry runs, and bodies are not read ahead
	 * @param expires whether responses tell until when they are remembered
	 */
	public Gate(HttpStrategies strategies, @Nullable IdempotencyEngine engine, boolean expires) {
		this.strategies = (engine != null) ? strategies : strategies.withoutFingerprints();
		this.engine = engine;
		this.expires = expires;
	}

	/**
	 * Whether protection is switched off.
	 */
	public boolean isOff() {
		return this.engine == null;
	}

	/**
	 * The request as the gate sees it.
	 * @param operation the operation, as it is protected
	 * @param pattern the pattern of its route, or {@code null} if it has none
	 * @param facts the facts of the request
	 */
	public ProtectedRequest receive(ProtectedOperation operation, @Nullable Object pattern, RequestFacts facts) {
		String name = this.names.of(facts.method(), pattern, facts.path());
		String namespace = (this.engine != null) ? this.engine.settings().namespace() : "";
		return new ProtectedRequest(operation, name, facts, this.strategies, namespace);
	}

	/**
	 * Whether a request asks for a dry run. Nothing else decides about that: not the key,
	 * the body or the mode.
	 * @throws DryRunInvalidException if that cannot be told
	 * @throws DryRunUnsupportedException if protection is switched off
	 */
	public boolean isDryRun(RequestFacts facts) {
		boolean asked = DryRunHeader.asksForDryRun(facts.headers(DryRunHeader.NAME));
		if (asked && isOff()) {
			throw new DryRunUnsupportedException();
		}
		return asked;
	}

	/**
	 * Decides what a request is.
	 * @throws IdempotencyException if it is refused
	 */
	public Plan plan(ProtectedRequest request) {
		boolean dryRun = isDryRun(request.facts());
		if (this.engine == null) {
			return new Plan.Unprotected(new UnprotectedContext(keyInHead(request)));
		}
		IdempotencyKey key = null;
		Attempt attempt = null;
		try {
			key = request.key();
			attempt = (key != null) ? request.attempt(key) : null;
		}
		catch (IdempotencyException ex) {
			if (!Problems.isAboutRequest(ex.reason()) || this.engine.reject(request.name(), ex.reason())) {
				throw ex;
			}
		}
		if (dryRun) {
			return new Plan.DryRun(key, attempt);
		}
		return (attempt != null) ? new Plan.Claim(attempt, expires(attempt))
				: new Plan.Unprotected(new UnprotectedContext((key != null) ? key : randomKey(request)));
	}

	/**
	 * Until when a response is remembered at least: the claim that it is counted from is
	 * later.
	 */
	private @Nullable Instant expires(Attempt attempt) {
		return this.expires ? Instant.now().plus(attempt.policy().ttl()) : null;
	}

	/**
	 * The key, if it can be resolved without the body. Protection may be switched off
	 * because that fails, so a failure is not passed on.
	 */
	private static IdempotencyKey keyInHead(ProtectedRequest request) {
		try {
			IdempotencyKey key = request.key();
			return (key != null) ? key : randomKey(request);
		}
		catch (RuntimeException ex) {
			logger.debug("{} runs without protection and with a random key", request.name(), ex);
			return randomKey(request);
		}
	}

	private static IdempotencyKey randomKey(ProtectedRequest request) {
		return UnprotectedContext.randomKey(request.name());
	}

	/**
	 * What a request is.
	 */
	public sealed interface Plan {

		/**
		 * The handler runs, and nothing is claimed.
		 *
		 * @param context the context of the handler
		 */
		record Unprotected(UnprotectedContext context) implements Plan {
		}

		/**
		 * It is told what would happen.
		 *
		 * @param key the key, or {@code null} if there is none
		 * @param attempt the attempt, or {@code null} if nothing would be claimed
		 */
		record DryRun(@Nullable IdempotencyKey key, @Nullable Attempt attempt) implements Plan {
		}

		/**
		 * The key is to be claimed.
		 *
		 * @param expires until when the response is remembered, or {@code null} if it is
		 * not told
		 */
		record Claim(Attempt attempt, @Nullable Instant expires) implements Plan {
		}

	}

}
