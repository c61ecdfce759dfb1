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
 * Where the steps of one operation, or the calls of one session, are remembered.
 * <p>
 * A random name is remembered beside the operation, and the keys of its steps are made of
 * that name: once it is forgotten, so are they, although nobody keeps a list of them.
 */
final class StepKeys {

	private static final int MAX_NAME = 255;

	/**
	 * Enough for a twin to store the name that it has just claimed.
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
		// Whoever has the parent's key is alone. An earlier executor of the step has
		// either vanished, and its lease ends soon, or is late, and its result too
		this.policy = policy.withExtendingReplays().withOnCrash(OnCrash.RETRY).withPatience(policy.lease());
		this.clock = clock;
	}

	/**
	 * An attempt at a step.
	 * @param step its name
	 * @param inputs a digest of what it works on, or {@code null} if the name says it all
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
			// Long before it would be forgotten
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
				// A retry would not find the steps under a name that nobody remembers
				decision = this.calls.engine().recall(impatient(attempt));
			}
			else {
				return made;
			}
		}
		if (observing && decision instanceof Decision.Refused) {
			// Whoever was about to remember a name has vanished. Nobody waits for that
			// here
			return made;
		}
		CallState known = RunningCall.ofAnswer((Decision.Answer) decision, format, attempt.key());
		return String.valueOf(this.calls.valueOrThrow(known, attempt));
	}

	/**
	 * Nothing has run: a name that cannot be written is given back.
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
	 * Steps belong to whom their operation belongs. The name of the operation is cut if
	 * need be: what tells keys apart is in their value.
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
