package dev.idempotency.call;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import dev.idempotency.Fingerprint;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencySession;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.Outcome;
import dev.idempotency.ResultType;
import dev.idempotency.Settlement;
import dev.idempotency.Work;
import org.jspecify.annotations.Nullable;

/**
 * Runs everything each time, because protection is switched off, but provides a context.
 */
enum UnprotectedIdempotency implements Idempotency {

	INSTANCE;

	@Override
	public <T extends @Nullable Object, X extends Exception> T execute(IdempotencyKey key, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		try (Binding binding = new UnprotectedContext(key).makeCurrent()) {
			Objects.requireNonNull(binding);
			return work.run();
		}
	}

	@Override
	public <T extends @Nullable Object, X extends Exception> Outcome<T> attempt(IdempotencyKey key, ResultType<T> type,
			Work<? extends T, X> work) throws X {
		return new Outcome.Executed<>(execute(key, type, work));
	}

	@Override
	public Optional<KeyStatus> find(IdempotencyKey key) {
		return Optional.empty();
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		return false;
	}

	@Override
	public <T extends @Nullable Object> Settlement settleAsDone(IdempotencyKey key, ResultType<T> type, T result) {
		return Settlement.NOT_FOUND;
	}

	@Override
	public Settlement settleAsDone(IdempotencyKey key) {
		return Settlement.NOT_FOUND;
	}

	@Override
	public Settlement settleAsNotDone(IdempotencyKey key) {
		return Settlement.NOT_FOUND;
	}

	@Override
	public IdempotencySession session(String id) {
		return UnprotectedSession.INSTANCE;
	}

	@Override
	public Idempotency withTtl(Duration ttl) {
		return this;
	}

	@Override
	public Idempotency withOnConflict(OnConflict onConflict) {
		return this;
	}

	@Override
	public Idempotency withOnCrash(OnCrash onCrash) {
		return this;
	}

	@Override
	public Idempotency withFingerprint(Fingerprint fingerprint) {
		return this;
	}

	/**
	 * A session, where each call has a key of its own. It is another object, because an
	 * application may have a bean for a session, and injects each bean by its type.
	 */
	private enum UnprotectedSession implements IdempotencySession {

		INSTANCE;

		@Override
		public <T extends @Nullable Object, X extends Exception> T run(String tool, @Nullable Object inputs,
				ResultType<T> type, Work<? extends T, X> work) throws X {
			return UnprotectedIdempotency.INSTANCE.execute(UnprotectedContext.randomKey(tool), type, work);
		}

		@Override
		public IdempotencySession withOnCrash(OnCrash onCrash) {
			return this;
		}

		@Override
		public IdempotencySession transactional() {
			return this;
		}

		@Override
		public boolean forget() {
			return false;
		}

	}

}
