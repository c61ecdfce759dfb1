package dev.idempotency.ai;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.metadata.ToolMetadata;

/**
 * Wraps a tool with its protection, and adds its side effects to its metadata.
 */
final class IdempotentToolCallback implements ToolCallback {

	private final ToolCallback tool;

	private final TaggedToolMetadata metadata;

	private final @Nullable GuardedTool protection;

	/**
	 * Create a tool.
	 * @param protection {@code null} if the tool is not protected here
	 */
	IdempotentToolCallback(ToolCallback tool, TaggedToolMetadata metadata, @Nullable GuardedTool protection) {
		this.tool = tool;
		this.metadata = metadata;
		this.protection = protection;
	}

	/**
	 * Returns the wrapped tool.
	 */
	ToolCallback tool() {
		return this.tool;
	}

	@Override
	public ToolDefinition getToolDefinition() {
		return this.tool.getToolDefinition();
	}

	@Override
	public ToolMetadata getToolMetadata() {
		return this.metadata;
	}

	@Override
	public String call(String input) {
		return (this.protection != null) ? this.protection.call(this.tool, input, null) : this.tool.call(input);
	}

	@Override
	public String call(String input, @Nullable ToolContext context) {
		return (this.protection != null) ? this.protection.call(this.tool, input, context)
				: this.tool.call(input, context);
	}

	@Override
	public String toString() {
		return "IdempotentToolCallback[%s]".formatted(getToolDefinition().name());
	}

}
