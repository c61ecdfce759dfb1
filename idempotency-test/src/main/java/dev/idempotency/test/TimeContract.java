package dev.idempotency.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.SearchableStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static dev.idempotency.test.Scene.BRIEF;
import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.OTHER_FINGERPRINT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.countingReplays;
import static dev.idempotency.test.Scene.extendingBy;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.refused;
import static dev.idempotency.test.Scene.terms;
import static dev.idempotency.test.Scene.withoutTakeover;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract about leases and ttls: what starts them, and what does not. All stories of
 * it run side by side, so that the clock of a server is waited for once.
 */
interface TimeContract extends StoreUnderTest {

	/**
	 * The time between two steps of a story: enough for the steps of all the others.
	 */
	Duration STEP = Duration.ofSeconds(1);

	Duration TWO_STEPS = STEP.multipliedBy(2);

	/**
	 * What is more than this after the end is over.
	 */
	Duration MARGIN = Duration.ofMillis(100);

	/**
	 * Many of them are too many milliseconds for an int, which are then in the past, over
	 * at once, or far too few.
	 */
	List<Duration> LONG_TIMES = List.of(Duration.ofDays(1), Duration.ofDays(25), Duration.ofDays(30),
			Duration.ofMillis((1L << 32) + 1), Duration.ofDays(365), ClaimTerms.MAX_DURATION);

	@TestFactory
	default Stream<DynamicTest> keepsTime() {
		List<Story> stories = new ArrayList<>();
		// First in each step, because they cannot wait for the others
		addHasty(stories);
		addLeases(stories);
		addTtls(stories);
		addLateVerbs(stories);
		addLongTimes(stories);
		addReplays(stories);
		purge();
		for (int step = 0; step < 4; step++) {
			if (step % 2 == 1) {
				// Not before step 2: what a purge would remove must be invisible before
				purge();
			}
			for (Story story : stories) {
				story.take(step);
			}
			if (step < 3) {
				time().pass(STEP.plus(MARGIN.multipliedBy(step)));
			}
		}
		return stories.stream().map((story) -> DynamicTest.dynamicTest(story.name, story::end));
	}

	/**
	 * An age is more than the time of a day.
	 */
	@Test
	default void countsTheAgeOfAKeyForYears() {
		if (time().isMovable()) {
			IdempotencyKey key = newKey();
			granted(store(), key, terms(BRIEF, ClaimTerms.MAX_DURATION));
			Duration age = Duration.ZERO;
			for (int days : new int[] { 1, 2, 50, 1000 }) {
				time().pass(Duration.ofDays(days));
				age = age.plusDays(days);
				assertThat(inProgress(store().claim(key, FINGERPRINT, withoutTakeover())).age()).isBetween(age,
						age.plus(LONG));
			}
		}
	}

	/**
	 * At the last millisecond, an operator must not read something else than an attempt.
	 */
	@Test
	default void endsALeaseAtTheSameMomentForAClaimAndALook() {
		if (time().isMovable() && store() instanceof InspectableStore inspectable) {
			IdempotencyKey key = newKey();
			granted(store(), key, terms(STEP));
			time().pass(STEP.minus(BRIEF));
			for (int i = 0; i < 3; i++) {
				boolean abandoned = inProgress(store().claim(key, FINGERPRINT, withoutTakeover())).isAbandoned();
				assertThat(inspectable.find(key).orElseThrow().status().state())
					.isEqualTo(abandoned ? RecordState.ABANDONED : RecordState.IN_PROGRESS);
				time().pass(BRIEF);
			}
		}
	}

	private void purge() {
		while (otherInstance() instanceof PurgeableStore purgeable && purgeable.purge(1000) == 1000) {
			// Another batch
		}
	}

	/**
	 * What changes no record, whatever its state.
	 */
	private Map<String, Consumer<Story>> idleCalls() {
		Map<String, Consumer<Story>> calls = new LinkedHashMap<>();
		calls.put("a claim that is refused",
				(story) -> refused(otherInstance().claim(story.key, FINGERPRINT, withoutTakeover())));
		calls.put("a claim for another request",
				(story) -> refused(otherInstance().claim(story.key, OTHER_FINGERPRINT, terms(LONG))));
		calls.put("a claim for another request that would extend",
				(story) -> refused(otherInstance().claim(story.key, OTHER_FINGERPRINT, extendingBy(TTL))));
		if (otherInstance() instanceof InspectableStore inspectable) {
			calls.put("a look at it", (story) -> assertThat(inspectable.find(story.key)).isPresent());
		}
		return calls;
	}

	/**
	 * Those in which something must not have expired yet.
	 */
	private void addHasty(List<Story> stories) {
		stories.add(new Story("a lease may be shorter than a second", (story) -> {
			story.claim = granted(store(), story.key, terms(STEP.minus(MARGIN)));
			assertThat(inProgress(otherInstance(), story.key).leaseLeft()).isBetween(BRIEF, STEP.minus(MARGIN));
		}, this::isTakenOver));
		stories.add(new Story("a renewal starts the lease again",
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS)),
				(story) -> assertThat(otherInstance().renew(story.claim(), TWO_STEPS)).isTrue(),
				(story) -> assertThat(inProgress(store(), story.key).isAbandoned()).isFalse(), this::isTakenOver));
		stories.add(new Story("a takeover has a lease of its own",
				(story) -> story.claim = granted(store(), story.key, terms(BRIEF)),
				(story) -> granted(otherInstance(), story.key, terms(TWO_STEPS)),
				(story) -> assertThat(inProgress(store(), story.key).isAbandoned()).isFalse(),
				(story) -> assertThat(granted(store(), story.key).attempt()).isEqualTo(3)));
		stories.add(new Story("a result is kept for a while that is completed at the end of its ttl",
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS, TWO_STEPS)),
				(story) -> assertThat(otherInstance().complete(story.claim(), RESULT, TWO_STEPS)).isTrue(),
				this::isCompleted, this::isGone));
		stories.add(new Story("the ttl counts from a takeover, and may be longer",
				(story) -> story.claim = granted(store(), story.key, terms(BRIEF, TWO_STEPS)),
				(story) -> granted(otherInstance(), story.key, terms(BRIEF, TWO_STEPS)),
				(story) -> assertThat(inProgress(store().claim(story.key, FINGERPRINT, withoutTakeover())).attempt())
					.isEqualTo(2),
				this::isGone));
		stories.add(new Story("a release after a takeover does not restart the ttl",
				(story) -> story.claim = granted(store(), story.key, terms(BRIEF)),
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS, TWO_STEPS)),
				(story) -> assertThat(otherInstance().release(story.claim())).isTrue(), this::isGone));
		stories.add(new Story("an abandoned key keeps its ttl",
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS, TWO_STEPS)),
				(story) -> assertThat(otherInstance().abandon(story.claim())).isTrue(), this::isGone));
		stories.add(new Story("a replay restarts the ttl where the terms say so",
				(story) -> complete(story, TWO_STEPS, BRIEF),
				(story) -> completed(otherInstance().claim(story.key, FINGERPRINT, extendingBy(TWO_STEPS))),
				this::isCompleted, this::isGone));
	}

	// Leases

	private void addLeases(List<Story> stories) {
		idleCalls().forEach((name, call) -> stories.add(new Story("a lease is not restarted by " + name,
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS)), call, this::isTakenOver)));
		stories.add(new Story("a lease is not restarted by a claim that would take over",
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS)),
				(story) -> assertThat(inProgress(otherInstance(), story.key).leaseLeft()).isBetween(BRIEF,
						STEP.plus(MARGIN)),
				this::isTakenOver));
		stories.add(new Story("a lease is not restarted by a claim that would extend",
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS)),
				(story) -> inProgress(otherInstance().claim(story.key, FINGERPRINT, extendingBy(TTL))),
				this::isTakenOver));
		stories.add(new Story("renewals do not add up", (story) -> {
			story.claim = granted(store(), story.key, terms(STEP));
			for (int i = 0; i < 3; i++) {
				assertThat(store().renew(story.claim(), STEP)).isTrue();
			}
		}, Story::rest, this::isTakenOver));
		stories.add(new Story("a renewal may be shorter than the lease before it", (story) -> {
			story.claim = granted(store(), story.key);
			assertThat(store().renew(story.claim(), STEP)).isTrue();
		}, Story::rest, this::isTakenOver));
		stories.add(new Story("the age of a key counts from its first claim", (story) -> {
			story.claim = granted(store(), story.key, terms(LONG));
			assertThat(inProgress(store(), story.key).age()).isLessThan(STEP);
		}, (story) -> assertThat(store().renew(story.claim(), BRIEF)).isTrue(), (story) -> {
			granted(store(), story.key);
			assertThat(inProgress(otherInstance(), story.key).age()).isBetween(TWO_STEPS.minus(MARGIN), LONG);
		}));
	}

	private void isTakenOver(Story story) {
		assertThat(granted(otherInstance(), story.key).attempt()).isEqualTo(2);
		assertThat(store().renew(story.claim(), LONG)).as("renewal of the late owner").isFalse();
	}

	// Ttls

	private void addTtls(List<Story> stories) {
		idleCalls().forEach((name, call) -> {
			stories.add(new Story("the ttl of a key in progress is not restarted by " + name,
					(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS, TWO_STEPS)), call,
					this::isGone));
			stories.add(new Story("the ttl of an abandoned key is not restarted by " + name,
					(story) -> story.claim = granted(store(), story.key, terms(BRIEF, TWO_STEPS)), call, this::isGone));
			stories.add(new Story("the ttl of a result is not restarted by " + name,
					(story) -> complete(story, TWO_STEPS, BRIEF), call, this::isGone));
		});
		stories.add(new Story("a key in progress is not kept by a claim that would extend",
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS, TWO_STEPS)),
				(story) -> inProgress(otherInstance().claim(story.key, FINGERPRINT, extendingBy(TTL))), this::isGone));
		stories.add(new Story("a completion does not restart the ttl",
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS, TWO_STEPS)),
				(story) -> assertThat(store().complete(story.claim(), RESULT, BRIEF)).isTrue(), this::isGone));
		stories.add(new Story("a completion does not shorten the ttl", (story) -> complete(story, TTL, STEP),
				Story::rest, this::isCompleted));
		stories.add(new Story("a completion after a takeover does not shorten the ttl",
				(story) -> story.claim = granted(store(), story.key, terms(BRIEF)), (story) -> {
					story.claim = granted(otherInstance(), story.key, terms(LONG));
					assertThat(store().complete(story.claim(), RESULT, BRIEF)).isTrue();
				}, Story::rest, this::isCompleted));
		stories.add(new Story("a late completion does not shorten the ttl",
				(story) -> story.claim = granted(store(), story.key, terms(BRIEF)),
				(story) -> assertThat(otherInstance().complete(story.claim(), RESULT, BRIEF)).isTrue(), Story::rest,
				this::isCompleted));
		stories.add(new Story("a renewal keeps work that outlives its ttl", (story) -> {
			story.claim = granted(store(), story.key, terms(STEP, STEP));
			assertThat(store().renew(story.claim(), LONG)).isTrue();
		}, Story::rest, (story) -> {
			assertThat(inProgress(otherInstance(), story.key).isAbandoned()).isFalse();
			assertThat(store().complete(story.claim(), RESULT, TTL)).isTrue();
		}, this::isCompleted));
		stories.add(new Story("a renewal does not restart the ttl",
				(story) -> story.claim = granted(store(), story.key, terms(TWO_STEPS, TWO_STEPS)), (story) -> {
					assertThat(otherInstance().renew(story.claim(), STEP.dividedBy(2))).isTrue();
					assertThat(store().complete(story.claim(), RESULT, BRIEF)).isTrue();
				}, this::isGone));
		stories.add(new Story("a renewal does not shorten the ttl", (story) -> {
			story.claim = granted(store(), story.key);
			assertThat(store().renew(story.claim(), BRIEF)).isTrue();
		}, Story::rest, this::isTakenOver));
		stories.add(new Story("the ttl counts from a takeover, and may be shorter",
				(story) -> story.claim = granted(store(), story.key, terms(BRIEF)),
				(story) -> story.claim = granted(otherInstance(), story.key, terms(STEP, STEP)), this::isGone));
		stories.add(new Story("a release after a takeover does not shorten the ttl",
				(story) -> story.claim = granted(store(), story.key, terms(BRIEF)),
				(story) -> assertThat(store().release(granted(otherInstance(), story.key, terms(BRIEF)))).isTrue(),
				Story::rest, (story) -> assertThat(granted(store(), story.key).attempt()).isEqualTo(3)));
		stories.add(new Story("an owner may be late while the record is kept",
				(story) -> story.claim = granted(store(), story.key, terms(BRIEF)), Story::rest,
				(story) -> assertThat(otherInstance().complete(story.claim(), RESULT, TTL)).isTrue(),
				this::isCompleted));
	}

	private void complete(Story story, Duration ttl, Duration atLeast) {
		story.claim = granted(store(), story.key, terms(STEP, ttl));
		assertThat(store().complete(story.claim(), RESULT, atLeast)).isTrue();
	}

	private void isCompleted(Story story) {
		assertThat(completed(otherInstance(), story.key).result()).isEqualTo(RESULT);
	}

	/**
	 * Nobody sees an expired record, also where it is not removed yet, and the next claim
	 * knows nothing of it.
	 */
	private void isGone(Story story) {
		for (IdempotencyStore instance : List.of(store(), otherInstance())) {
			if (instance instanceof InspectableStore inspectable) {
				assertThat(inspectable.find(story.key)).isEmpty();
				assertThat(inspectable.forget(story.key)).isFalse();
				assertThat(inspectable.forget(story.claim())).isFalse();
			}
			if (instance instanceof SearchableStore searchable) {
				assertThat(searchable.find(RecordId.of(story.key))).isEmpty();
				assertThat(searchable.forget(RecordId.of(story.key))).isFalse();
			}
			assertThat(instance.renew(story.claim(), LONG)).isFalse();
			assertThat(instance.complete(story.claim(), RESULT, TTL)).isFalse();
			assertThat(instance.release(story.claim())).isFalse();
			assertThat(instance.abandon(story.claim())).isFalse();
		}
		Claim next = granted(store().claim(story.key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(next.attempt()).isEqualTo(1);
		assertThat(inProgress(otherInstance(), story.key).age()).isLessThan(STEP);
		assertThat(otherInstance().complete(story.claim(), RESULT, TTL)).isFalse();
		assertThat(store().complete(next, RESULT, TTL)).isTrue();
		assertThat(completed(store(), story.key).replays()).isZero();
	}

	/**
	 * Whatever comes first after the end of a record: a store may remove the record when
	 * it meets it, and so hide from the second call what it does wrong.
	 */
	private void addLateVerbs(List<Story> stories) {
		Map<String, Consumer<Story>> verbs = new LinkedHashMap<>();
		verbs.put("claim", Story::rest);
		verbs.put("renewal", (story) -> assertThat(otherInstance().renew(story.claim(), LONG)).isFalse());
		verbs.put("completion", (story) -> assertThat(otherInstance().complete(story.claim(), RESULT, TTL)).isFalse());
		verbs.put("release", (story) -> assertThat(otherInstance().release(story.claim())).isFalse());
		verbs.put("report", (story) -> assertThat(otherInstance().abandon(story.claim())).isFalse());
		verbs.forEach((name, verb) -> {
			Consumer<Story> first = (story) -> {
				verb.accept(story);
				assertThat(granted(store(), story.key).attempt()).isEqualTo(1);
			};
			stories.add(new Story("a %s comes after the ttl".formatted(name),
					(story) -> story.claim = granted(store(), story.key, terms(BRIEF, TWO_STEPS)), Story::rest, first));
			stories.add(new Story("a %s comes after the ttl of a takeover".formatted(name),
					(story) -> story.claim = granted(store(), story.key, terms(BRIEF)),
					(story) -> story.claim = granted(otherInstance(), story.key, terms(BRIEF, STEP)), first));
		});
	}

	// Long times

	private void addLongTimes(List<Story> stories) {
		for (Duration time : LONG_TIMES) {
			stories.add(new Story("a lease of " + time, (story) -> {
				story.claim = granted(store(), story.key, terms(time, time));
				leaseEndsIn(time, story);
			}, Story::rest, (story) -> inProgress(store(), story.key)));
			stories.add(new Story("a renewal for " + time, (story) -> {
				story.claim = granted(store(), story.key, terms(STEP));
				assertThat(store().renew(story.claim(), time)).isTrue();
				leaseEndsIn(time, story);
			}, Story::rest, (story) -> inProgress(store(), story.key)));
			stories.add(new Story("a result whose ttl is " + time, (story) -> complete(story, time, BRIEF),
					(story) -> expiresIn(time, story), this::isCompleted));
			stories.add(new Story("a result that is kept for at least " + time, (story) -> complete(story, STEP, time),
					(story) -> expiresIn(time, story), this::isCompleted));
			stories.add(new Story("a replay that extends by " + time, (story) -> {
				complete(story, STEP, BRIEF);
				completed(otherInstance().claim(story.key, FINGERPRINT, extendingBy(time)));
			}, (story) -> expiresIn(time, story), this::isCompleted));
		}
	}

	private void leaseEndsIn(Duration time, Story story) {
		assertThat(inProgress(otherInstance(), story.key).leaseLeft()).isBetween(time.minusMinutes(1), time);
	}

	private void expiresIn(Duration time, Story story) {
		if (otherInstance() instanceof InspectableStore inspectable) {
			KeyStatus status = inspectable.find(story.key).orElseThrow().status();
			assertThat(Duration.between(status.created(), status.expires())).isBetween(time.minusSeconds(1),
					time.plusMinutes(1));
		}
	}

	// Replays

	private void addReplays(List<Story> stories) {
		stories.add(new Story("the ttl of a result is not restarted by a claim that counts",
				(story) -> complete(story, TWO_STEPS, BRIEF),
				(story) -> completed(otherInstance().claim(story.key, FINGERPRINT, countingReplays())), this::isGone));
		stories.add(new Story("replays do not add to the ttl", (story) -> {
			complete(story, STEP, BRIEF);
			for (int i = 0; i < 3; i++) {
				completed(otherInstance().claim(story.key, FINGERPRINT, extendingBy(STEP)));
			}
		}, Story::rest, this::isGone));
		stories.add(new Story("a replay never shortens the ttl", (story) -> {
			complete(story, TTL, BRIEF);
			completed(otherInstance().claim(story.key, FINGERPRINT, extendingBy(STEP)));
		}, Story::rest, this::isCompleted));
		stories.add(new Story("a result that is over is not extended", (story) -> complete(story, TWO_STEPS, BRIEF),
				Story::rest,
				(story) -> assertThat(granted(store(), story.key, extendingBy(TTL)).attempt()).isEqualTo(1)));
	}

	/**
	 * A story of one key.
	 */
	final class Story {

		private final String name;

		private final List<Consumer<Story>> steps;

		private final IdempotencyKey key = newKey();

		private @Nullable Claim claim;

		private @Nullable Throwable failure;

		@SafeVarargs
		@SuppressWarnings("varargs")
		private Story(String name, Consumer<Story>... steps) {
			this.name = name;
			this.steps = List.of(steps);
		}

		private void rest() {
			// Time passes
		}

		private Claim claim() {
			return Objects.requireNonNull(this.claim);
		}

		private void take(int step) {
			if (step < this.steps.size() && this.failure == null) {
				try {
					this.steps.get(step).accept(this);
				}
				catch (RuntimeException | AssertionError ex) {
					this.failure = new AssertionError("Step %d failed".formatted(step), ex);
				}
			}
		}

		private void end() throws Throwable {
			if (this.failure != null) {
				throw this.failure;
			}
		}

	}

}
