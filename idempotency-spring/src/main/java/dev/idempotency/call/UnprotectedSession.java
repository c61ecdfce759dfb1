package dev.idempotency.call;

import java.util.Objects;

import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencySession;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Work;
import org.jspecify.annotations.Nullable;

/**
 * A session whose calls run each time, because protection is switched off. Nothing is
 * stored, and each call has a key of its own.
 */
enum UnprotectedSession implements IdempotencySession {

	INSTANCE;

	@Override
	public <T extends @Nullable Object, X extends Exception> T run(String tool, @Nullable Object inputs,
			ResultType<T> type, Work<? extends T, X> work) throws X {
		try (Binding binding = new UnprotectedContext(UnprotectedContext.randomKey(tool)).makeCurrent()) {
			Objects.requireNonNull(binding);
			return work.run();
		}
	}

	@Override
	public IdempotencySession withOnCrash(OnCrash onCrash) {
		return this;
	}

	@Override
	public boolean forget() {
		return false;
	}

}
