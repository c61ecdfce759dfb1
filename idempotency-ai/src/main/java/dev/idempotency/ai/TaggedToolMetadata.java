package dev.idempotency.ai;

import java.util.Set;

import org.springframework.ai.tool.metadata.ToolMetadata;

/**
 * The metadata of a tool of which is known what it does to the world.
 *
 * @param returnDirect whether its result goes to the user without asking the model
 * @param sideEffects what it does; empty if nobody has said
 * @param runsOnce whether the same call has no further effect, since it is answered with
 * the stored result
 */
public record TaggedToolMetadata(boolean returnDirect, Set<SideEffect> sideEffects,
		boolean runsOnce) implements ToolMetadata {

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
