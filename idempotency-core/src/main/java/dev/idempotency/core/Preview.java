package dev.idempotency.core;

import java.util.Optional;

import dev.idempotency.store.InspectableStore.Inspection;
import org.jspecify.annotations.Nullable;

/**
 * What the engine would decide about an attempt.
 *
 * @param answer the decision, or {@code null} if it would run
 * @param found the record of the key, its result as it is stored
 */
public record Preview(Decision.@Nullable Answer answer, Optional<Inspection> found) {

	/**
	 * Whether the attempt would run.
	 * @return whether it would run
	 */
	public boolean runs() {
		return this.answer == null;
	}

}
