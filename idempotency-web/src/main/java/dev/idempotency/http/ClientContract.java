package dev.idempotency.http;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.idempotency.DryRun;
import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.KnownOperation;
import org.jspecify.annotations.Nullable;

/**
 * What a client needs to know about a protected handler.
 *
 * @param protection how it is protected
 * @param enforced {@code false} if its requests run whatever the engine decides
 * @param keyHeaders the headers that its key is made of
 * @param keyTime how a request tells when its key was first sent, or {@code null}
 * @param fingerprinted whether a retry must be the same request
 * @param dryRun what a dry run of it does
 * @param problems why its requests may be refused
 */
public record ClientContract(KnownOperation.Protection protection, boolean enforced, List<KeyField> keyHeaders,
		@Nullable KeyTime keyTime, boolean fingerprinted, DryRun dryRun, Set<Reason> problems) {

	public ClientContract {
		keyHeaders = List.copyOf(keyHeaders);
		problems = Collections.unmodifiableSet(problems);
	}

	/**
	 * What a client needs to know about an operation.
	 * @param settings how operations are protected
	 * @param strategies the strategies of the application
	 * @return what it needs to know
	 */
	public static ClientContract of(ProtectedOperation operation, EngineSettings settings, HttpStrategies strategies) {
		boolean fingerprinted = operation.fingerprinted() && strategies.comparesRequests();
		boolean enforced = settings.mode() == Mode.ENFORCE;
		return new ClientContract(operation.forPeople(), enforced, operation.keySource().headers(),
				operation.keySource().time(), fingerprinted, operation.dryRun(),
				enforced ? problems(operation, settings, fingerprinted, strategies.replayAuthorizer() != null)
						: EnumSet.noneOf(Reason.class));
	}

	/**
	 * The name of an operation as API documents have it: {@code PUT /orders/{id:[0-9]+}}
	 * is {@code PUT /orders/{id}}.
	 * @param name the name of the operation
	 * @return the name without expressions
	 */
	public static String withoutExpressions(String name) {
		StringBuilder result = new StringBuilder();
		int depth = 0;
		boolean expression = false;
		for (int i = 0; i < name.length(); i++) {
			char character = name.charAt(i);
			depth += (character == '{') ? 1 : (character == '}') ? -1 : 0;
			expression = depth > 0 && (expression || character == ':');
			if (!expression) {
				result.append(character);
			}
		}
		return result.toString();
	}

	private static Set<Reason> problems(ProtectedOperation operation, EngineSettings settings, boolean fingerprinted,
			boolean mayBeDenied) {
		KeySource key = operation.keySource();
		Set<Reason> problems = EnumSet.of(Reason.KEY_INVALID, Reason.DRY_RUN_INVALID, Reason.BODY_UNREADABLE,
				Reason.BODY_TOO_LARGE, Reason.IN_PROGRESS, Reason.NOT_REPLAYABLE);
		if (operation.required() && key.mayBeMissing()) {
			problems.add(Reason.KEY_MISSING);
		}
		// Another request has another derived key
		if (fingerprinted && !key.isDerived()) {
			problems.add(Reason.KEY_REUSED);
		}
		if (key.time() != null) {
			problems.add(Reason.KEY_EXPIRED);
		}
		if (operation.policy().onCrash() == OnCrash.REFUSE) {
			problems.add(Reason.OUTCOME_UNKNOWN);
		}
		if (operation.policy().maxReplays() > 0) {
			problems.add(Reason.REPLAY_LIMIT);
		}
		if (mayBeDenied) {
			problems.add(Reason.REPLAY_DENIED);
		}
		if (settings.onStoreFailure() == OnStoreFailure.REJECT) {
			problems.add(Reason.STORE_UNAVAILABLE);
		}
		return problems;
	}

	/**
	 * A header that a key is made of.
	 *
	 * @param syntax how the key is written in it, or {@code null} if it is taken as it is
	 */
	public record KeyField(String name, @Nullable KeySyntax syntax) {
	}

}
