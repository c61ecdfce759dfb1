package dev.idempotency.core;

import java.time.Duration;
import java.util.function.Predicate;

import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.RecordState;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.core.Decision.Answer;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyRecord.Completed;
import dev.idempotency.store.IdempotencyRecord.InProgress;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the record of a key means for an attempt.
 */
final class Answers {

	private Answers() {
	}

	/**
	 * The decision for an attempt whose claim was refused, with a result that can be
	 * read.
	 * @throws dev.idempotency.UnreadableResultException if it cannot
	 * @throws dev.idempotency.UnsupportedFormatException if a newer release wrote it
	 */
	static Answer answer(IdempotencyRecord met, Attempt attempt, GuardedStore store) {
		return readable(answer(met, attempt, 0), attempt, store);
	}

	/**
	 * The decision that an attempt would get.
	 * @return {@code null} if it would run
	 */
	static @Nullable Answer foresee(Inspection found, Attempt attempt, GuardedStore store) {
		// A claim would count as a replay, but a preview does not
		Answer answer = answer(asMet(found), attempt, 1);
		boolean free = answer.reason() == Reason.IN_PROGRESS && found.status().state().isOutcomeUnknown();
		return free ? null : authorized(readable(answer, attempt, store), attempt);
	}

	/**
	 * The answer, or a refusal if it is a result that the caller may not get.
	 */
	static Answer authorized(Answer answer, Attempt attempt) {
		Predicate<StoredResult> replayable = attempt.replayable();
		boolean denied = answer instanceof Decision.Replay replay && replayable != null
				&& !replayable.test(replay.result());
		return denied ? Decision.Refused.replayDenied(answer.trace()) : answer;
	}

	/**
	 * The record as a claim would have returned it. Its age makes no difference here.
	 */
	static IdempotencyRecord asMet(Inspection found) {
		RecordSummary summary = found.summary();
		if (summary.state() != RecordState.COMPLETED) {
			return new InProgress(found.fingerprint(), found.status().attempt(), Duration.ZERO, summary.leaseLeft(),
					summary.trace());
		}
		StoredResult result = found.result();
		if (result == null) {
			throw new UnreadableResultException("The stored result of %s is damaged".formatted(summary.id()));
		}
		result.requireKnownFormat();
		return new Completed(found.fingerprint(), found.status().attempt(), result, summary.replays(), summary.trace());
	}

	/**
	 * Whether the attempt can wait for the result.
	 */
	static boolean isRunning(ClaimResult result, Attempt attempt) {
		return result instanceof ClaimResult.Refused refused
				&& answer(refused.record(), attempt, 0).reason() == Reason.IN_PROGRESS;
	}

	private static Answer answer(IdempotencyRecord met, Attempt attempt, int uncounted) {
		if (!met.fingerprint().equals(attempt.fingerprint())) {
			return Decision.Refused.keyReused();
		}
		OperationPolicy policy = attempt.policy();
		if (met instanceof Completed completed) {
			boolean tombstone = completed.result().isTombstone();
			long replays = completed.replays() + uncounted;
			if (policy.maxReplays() > 0 && replays > policy.maxReplays()) {
				return Decision.Refused.replayLimit(replays, policy.ttl());
			}
			return tombstone ? Decision.Refused.notReplayable(completed.trace())
					: new Decision.Replay(completed.result(), completed.trace());
		}
		InProgress running = (InProgress) met;
		boolean unknown = running.isAbandoned() && policy.onCrash() == OnCrash.REFUSE;
		return unknown ? Decision.Refused.outcomeUnknown(running.attempt(), running.trace())
				: Decision.Refused.inProgress(RetryAfter.of(running, policy.lease()), running.trace());
	}

	private static Answer readable(Answer answer, Attempt attempt, GuardedStore store) {
		return (answer instanceof Decision.Replay replay && replay.result().isPacked())
				? new Decision.Replay(store.unpack(attempt.key(), replay.result()), replay.trace()) : answer;
	}

}
