package dev.idempotency.core;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that is interrupted, by the shutdown of a server or by a cancelled future,
 * still claims and settles its keys. It is interrupted afterwards, too.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class InterruptContract {

	private static final OperationPolicy POLICY = OperationPolicy.of(Duration.ofHours(1), Duration.ofMinutes(5));

	@AutoClose
	private IdempotencyEngine engine;

	abstract IdempotencyStore store();

	/**
	 * Makes the store as slow as it can be to begin with.
	 */
	abstract void coolDown();

	/**
	 * Keeps the store from replying.
	 */
	abstract AutoCloseable hold() throws Exception;

	/**
	 * Waits until a thread waits for the store.
	 */
	abstract void awaitWaiting(Thread thread) throws Exception;

	/**
	 * A thread that claims or settles a key.
	 */
	Thread newThread(Runnable task) {
		return new Thread(task, "interrupted");
	}

	Execution begin(IdempotencyKey key) {
		return ((Decision.Proceed) this.engine.begin(new Attempt(key, Fingerprint.none(), POLICY))).execution();
	}

	@BeforeAll
	void start() {
		this.engine = new IdempotencyEngine(store(), EngineSettings.of("shop"), new MonotonicClock(), List.of());
	}

	@ParameterizedTest
	@EnumSource
	void servesAThreadThatIsInterrupted(Verb verb) throws Exception {
		Key key = new Key(verb);
		coolDown();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread thread = newThread(() -> {
			Thread.currentThread().interrupt();
			serve(key, interrupted);
		});
		thread.start();
		assertThat(interrupted.get(20, TimeUnit.SECONDS)).as("is interrupted afterwards").isTrue();
		key.assertServed();
	}

	@ParameterizedTest
	@EnumSource
	void servesAThreadThatIsInterruptedMeanwhile(Verb verb) throws Exception {
		Key key = new Key(verb);
		coolDown();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread thread = newThread(() -> serve(key, interrupted));
		try (AutoCloseable held = hold()) {
			assertThat(held).isNotNull();
			thread.start();
			awaitWaiting(thread);
			thread.interrupt();
		}
		assertThat(interrupted.get(20, TimeUnit.SECONDS)).as("is interrupted afterwards").isTrue();
		key.assertServed();
	}

	private static void serve(Key key, CompletableFuture<Boolean> interrupted) {
		try {
			key.serve();
			interrupted.complete(Thread.interrupted());
		}
		catch (Throwable ex) {
			interrupted.completeExceptionally(ex);
		}
	}

	enum Verb {

		CLAIM, COMPLETE, RELEASE, FORGET

	}

	/**
	 * A key, and what is done to it.
	 */
	private final class Key {

		private final IdempotencyKey key = IdempotencyKey.of("pay", UUID.randomUUID().toString());

		private final Verb verb;

		private final List<Decision> decisions = new ArrayList<>();

		private final List<Completion> completions = new ArrayList<>();

		private Key(Verb verb) {
			this.verb = verb;
			if (verb != Verb.CLAIM) {
				begin();
			}
		}

		private void begin() {
			this.decisions.add(InterruptContract.this.engine.begin(new Attempt(this.key, Fingerprint.none(), POLICY)));
		}

		private Execution execution() {
			assertThat(this.decisions).last().isInstanceOf(Decision.Proceed.class);
			return ((Decision.Proceed) this.decisions.get(this.decisions.size() - 1)).execution();
		}

		private void serve() {
			switch (this.verb) {
				case CLAIM -> begin();
				case COMPLETE -> this.completions.add(execution().complete("paid".getBytes(StandardCharsets.UTF_8)));
				case RELEASE -> execution().close();
				case FORGET -> InterruptContract.this.engine.forget(this.key);
			}
		}

		private void assertServed() {
			if (this.verb == Verb.CLAIM) {
				assertThat(execution().complete(null).kind()).isEqualTo(Completion.Kind.STORED_WITHOUT_RESULT);
				return;
			}
			begin();
			if (this.verb == Verb.COMPLETE) {
				assertThat(this.completions).extracting(Completion::kind).containsExactly(Completion.Kind.STORED);
				assertThat(this.decisions).last().isInstanceOf(Decision.Replay.class);
			}
			else {
				assertThat(execution().attempt()).isEqualTo(1);
				execution().close();
			}
		}

	}

}
