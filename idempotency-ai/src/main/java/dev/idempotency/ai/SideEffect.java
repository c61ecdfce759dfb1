package dev.idempotency.ai;

import java.util.Set;

import org.springframework.ai.tool.ToolCallback;

/**
 * A side effect of a tool.
 */
public enum SideEffect {

	/**
	 * It changes nothing, and may run any number of times.
	 */
	READ,

	/**
	 * It changes something, and runs once for the same arguments.
	 */
	WRITE,

	/**
	 * It has the same effect whether it runs once or several times.
	 */
	IDEMPOTENT,

	/**
	 * Its changes cannot be undone.
	 */
	DESTRUCTIVE;

	/**
	 * Returns the side effects of a tool.
	 * @return its side effects; empty if they are unknown
	 */
	public static Set<SideEffect> of(ToolCallback tool) {
		return (tool.getToolMetadata() instanceof TaggedToolMetadata tagged) ? tagged.sideEffects() : Set.of();
	}

}
