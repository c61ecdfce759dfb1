package dev.idempotency.ai;

import java.util.Set;

import org.springframework.ai.tool.ToolCallback;

/**
 * What a tool does to the world.
 */
public enum SideEffect {

	/**
	 * It changes nothing: it may run again and again.
	 */
	READ,

	/**
	 * It changes something, and runs once for the same arguments.
	 */
	WRITE,

	/**
	 * It comes to the same whether it runs once or several times.
	 */
	IDEMPOTENT,

	/**
	 * What it changes cannot be brought back.
	 */
	DESTRUCTIVE;

	/**
	 * What a tool is known to do.
	 * @param tool the tool
	 * @return its tags; none if nobody has said
	 */
	public static Set<SideEffect> of(ToolCallback tool) {
		return (tool.getToolMetadata() instanceof TaggedToolMetadata tagged) ? tagged.sideEffects() : Set.of();
	}

}
