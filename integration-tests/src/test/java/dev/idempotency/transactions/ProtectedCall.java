package dev.idempotency.transactions;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.transactions.MatrixApplication.ProtectedMethods;
import dev.idempotency.transactions.Seen.KeyState;
import dev.idempotency.transactions.Seen.Retry;
import org.jspecify.annotations.Nullable;

/**
 * A call under a key of its own, whose work is a row.
 */
final class ProtectedCall {

	private final Stage stage;

	private final Protection protection;

	private final boolean brief;

	private final String id = UUID.randomUUID().toString();

	private final AtomicInteger runs = new AtomicInteger();

	private volatile @Nullable IdempotencyKey key;

	ProtectedCall(Stage stage, Protection protection, boolean brief) {
		this.stage = stage;
		this.protection = protection;
		this.brief = brief;
	}

	String id() {
		return this.id;
	}

	/**
	 * Makes the call.
	 * @param end what the work does at its end
	 * @return what it came to
	 */
	String make(Runnable end) {
		return make(() -> this.stage.work(this.protection, this.id), end);
	}

	/**
	 * Makes the call.
	 * @param work the work
	 * @param end what it does at its end
	 * @return what it came to
	 */
	String make(Runnable work, Runnable end) {
		return call(() -> {
			int run = this.runs.incrementAndGet();
			this.key = IdempotencyContext.current().key();
			work.run();
			end.run();
			return "run " + run;
		});
	}

	private String call(Supplier<String> work) {
		ProtectedMethods methods = this.stage.parts().methods();
		return switch (this.protection) {
			case JOINING -> this.brief ? methods.joiningBriefly(this.id, work) : methods.joining(this.id, work);
			case ANNOTATED -> this.brief ? methods.annotatedBriefly(this.id, work) : methods.annotated(this.id, work);
			case APART -> methods.apart(this.id, work);
			case NESTED -> methods.nested(this.id, work);
			case JOINING_NESTED -> methods.joiningNested(this.id, work);
			case OF_OTHER -> methods.ofOther(this.id, work);
			case HANDLER -> this.stage.request(this.id, this.brief, work).text();
		};
	}

	/**
	 * Looks at what has become of the call, then tries it again.
	 */
	Seen look() {
		int rows = rows();
		KeyState state = state();
		int runsBefore = this.runs.get();
		Retry retry;
		String said;
		try {
			said = make(() -> {
			});
			retry = (this.runs.get() > runsBefore) ? Retry.RAN : Retry.REPLAYED;
		}
		catch (RuntimeException ex) {
			said = ex.toString();
			retry = (this.runs.get() > runsBefore) ? Retry.FAILED : Retry.REFUSED;
		}
		return new Seen(runsBefore, rows, state, retry, said, rows());
	}

	private int rows() {
		return this.stage.rows(this.protection, this.id);
	}

	private KeyState state() {
		IdempotencyKey known = this.key;
		if (known == null) {
			return KeyState.ABSENT;
		}
		return this.stage.find(known)
			.map((found) -> KeyState.valueOf(found.status().state().name()))
			.orElse(KeyState.ABSENT);
	}

}
