package dev.idempotency.core;

import java.util.Optional;

import dev.idempotency.store.InspectableStore.Inspection;
import org.jspecify.annotations.Nullable;

/**
 * What would be done about an attempt, without doing it.
 *
 * @param answer what it would be told, or {@code null} if it would run
 * @param found what is remembered under the key, its result as the store keeps it
 */
public record Preview(Decision.@Nullable Answer answer, Optional<Inspection> found) {

	/**
	 * Whether it would run.
	 * @return whether nothing stands against it
	 */
	public boolean runs() {
		return this.answer == null;
	}

}
