package dev.idempotency.ai;

import java.util.Set;

import org.springframework.ai.tool.metadata.ToolMetadata;

/**
 * The metadata of a tool, with its side effects.
 *
 * @param returnDirect whether its result goes directly to the user, not to the model
 * @param sideEffects its side effects; empty if they are unknown
 * @param runsOnce whether the same call has no further effect, since it gets the stored
 * result
 */
record TaggedToolMetadata(boolean returnDirect, Set<SideEffect> sideEffects, boolean runsOnce) implements ToolMetadata {

	public TaggedToolMetadata {
		sideEffects = Set.copyOf(sideEffects);
	}

	/**
	 * Whether the tool changes nothing.
	 * @return whether it only reads
	 */
	public boolean isReadOnly() {
		return this.sideEffects.contains(SideEffect.READ);
	}

}
