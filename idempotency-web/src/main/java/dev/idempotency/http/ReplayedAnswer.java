package dev.idempotency.http;

import java.util.List;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.Refusals;
import dev.idempotency.core.Decision;

/**
 * The replay of a stored response.
 */
public final class ReplayedAnswer {

	/**
	 * The name of the header that tells replays from first responses.
	 */
	public static final String HEADER = "Idempotent-Replayed";

	private static final List<String> TRUE = List.of("true");

	private static final List<String> NO_EFFECT = List.of(EffectHeader.NOOP.value());

	private ReplayedAnswer() {
	}

	/**
	 * Translates the decision about an attempt that does not run.
	 * @throws IdempotencyException if the attempt is refused
	 */
	public static HttpAnswer of(Decision.Answer answer, IdempotencyKey key) {
		if (answer instanceof Decision.Refused refused) {
			throw Refusals.toException(refused, key);
		}
		// Just decoded, and not shared
		HttpAnswer read = HttpAnswer.decode(((Decision.Replay) answer).result());
		read.headers().put(HEADER, TRUE);
		read.headers().put(EffectHeader.NAME, NO_EFFECT);
		return read;
	}

}
