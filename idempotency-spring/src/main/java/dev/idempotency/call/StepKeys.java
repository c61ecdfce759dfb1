package dev.idempotency.call;

import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.OnCrash;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.Execution;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.digest.Parts;
import dev.idempotency.store.ClaimTerms;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the steps of one operation, or of the calls of one session.
 * <p>
 * A random name is stored for the operation, and the keys of its steps are derived from
 * that name. To forget the name is to forget all steps, without a list of them.
 */
final class StepKeys {

	private static final int MAX_NAME = 255;

	/**
	 * Enough for a concurrent attempt to store the name that it has just claimed.
	 */
	private static final Duration OBSERVERS_PATIENCE = Duration.ofSeconds(1);

	private final Calls calls;

	private final IdempotencyKey parent;

	private final Fingerprint fingerprint;

	private final OperationPolicy policy;

	private final Clock clock;

	private final ReentrantLock lock = new ReentrantLock();

	private @Nullable String name;

	private long nameSeen;

	StepKeys(Calls calls, IdempotencyKey parent, Fingerprint fingerprint, OperationPolicy policy, Clock clock) {
		this.calls = calls;
		this.parent = parent;
		this.fingerprint = fingerprint;
		// The owner of the parent's key is alone. An earlier executor of the step has
		// either crashed, and its lease expires soon, or is late and about to complete
		this.policy = policy.withExtendingReplays().withOnCrash(OnCrash.RETRY).withPatience(policy.lease());
		this.clock = clock;
	}

	/**
	 * An attempt at a step.
	 * @param step its name
	 * @param inputs a digest of its inputs, or {@code null} if the name is enough
	 */
	Attempt attempt(String step, byte @Nullable [] inputs, OnCrash onCrash) {
		if (step.isBlank() || step.length() > MAX_NAME) {
			throw new IllegalArgumentException("A step needs a name of 1 to %d characters".formatted(MAX_NAME));
		}
		Parts parts = new Parts().add(this.parent.digest())
			.add(name())
			.add(this.fingerprint.toBytes())
			.add(step)
			.add(inputs);
		IdempotencyKey key = new IdempotencyKey(scope(" > " + step), this.parent.hash() + ":" + hex(parts));
		return new Attempt(key, Fingerprint.none(), this.policy.withOnCrash(onCrash));
	}

	/**
	 * Forgets all steps.
	 */
	boolean forget() {
		this.lock.lock();
		try {
			this.name = null;
			return this.calls.engine().forget(nameKey());
		}
		finally {
			this.lock.unlock();
		}
	}

	private String name() {
		this.lock.lock();
		try {
			// Long before it would expire
			long now = this.clock.millis();
			boolean fresh = now - this.nameSeen < this.policy.ttl().toMillis() / 4;
			if (this.name == null || !fresh) {
				this.name = rememberedName();
				this.nameSeen = now;
			}
			return this.name;
		}
		finally {
			this.lock.unlock();
		}
	}

	private String rememberedName() {
		Duration twice = this.policy.ttl().multipliedBy(2);
		Duration ttl = (twice.compareTo(ClaimTerms.MAX_DURATION) < 0) ? twice : ClaimTerms.MAX_DURATION;
		boolean observing = this.calls.engine().settings().mode() == Mode.OBSERVE;
		OperationPolicy terms = observing ? this.policy.withPatience(OBSERVERS_PATIENCE) : this.policy;
		Attempt attempt = new Attempt(nameKey(), Fingerprint.none(), terms.withTtl(ttl));
		ResultFormat format = this.calls.codec().forType(String.class);
		String made = IdempotencyKeys.random();
		Decision decision = this.calls.engine().recall(attempt);
		while (decision instanceof Decision.Proceed proceed) {
			Completion completion = remember(made, format, proceed.execution());
			if (completion.answer() != null) {
				decision = completion.answer();
			}
			else if (completion.kind() == Completion.Kind.FAILED) {
				// A retry would not find the steps under a name that is not stored
				decision = this.calls.engine().recall(impatient(attempt));
			}
			else {
				return made;
			}
		}
		if (observing && decision instanceof Decision.Refused) {
			// The attempt that was about to store a name has crashed. Observe mode does
			// not wait for it
			return made;
		}
		CallState known = RunningCall.ofAnswer((Decision.Answer) decision, format, attempt.key());
		return String.valueOf(this.calls.valueOrThrow(known, attempt));
	}

	/**
	 * Stores a name. Nothing has run, so the key is released if the name cannot be
	 * stored.
	 */
	private static Completion remember(String name, ResultFormat format, Execution execution) {
		try (execution) {
			return execution.complete(format.write(name));
		}
	}

	private static Attempt impatient(Attempt attempt) {
		return new Attempt(attempt.key(), attempt.fingerprint(), attempt.policy().withPatience(Duration.ZERO));
	}

	private IdempotencyKey nameKey() {
		return new IdempotencyKey(scope(" > steps"), hex(new Parts().add(this.parent.digest()).add("steps")));
	}

	/**
	 * Steps have the scope of their operation. The name of the operation is cut if it is
	 * too long, because the value of the key is unique without it.
	 */
	private IdempotencyScope scope(String suffix) {
		IdempotencyScope scope = this.parent.scope();
		String operation = scope.operation();
		int room = IdempotencyScope.MAX_PART_LENGTH - suffix.length();
		int end = Math.min(operation.length(), room);
		if (end < operation.length() && Character.isHighSurrogate(operation.charAt(end - 1))) {
			end--;
		}
		return new IdempotencyScope(scope.namespace(), operation.substring(0, end) + suffix, scope.principal(),
				scope.tenant());
	}

	private static String hex(Parts parts) {
		return HexFormat.of().formatHex(parts.digest());
	}

}
