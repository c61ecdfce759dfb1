package dev.idempotency.ai;

import java.util.List;
import java.util.function.Supplier;

import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.McpStatelessServerFeatures;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Adds hints to the tools of an MCP server: {@code readOnlyHint}, {@code destructiveHint}
 * and {@code idempotentHint}. Tools that have annotations already stay as they are.
 */
public final class McpToolHints implements BeanPostProcessor {

	private final Supplier<IdempotentTools> tools;

	/**
	 * Create a post-processor of the lists of tool specifications of an MCP server.
	 * @param tools knows the side effects of tools; resolved when the first list is
	 * processed
	 */
	public McpToolHints(Supplier<IdempotentTools> tools) {
		this.tools = tools;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		return (bean instanceof List<?> list && list.stream().anyMatch(McpToolHints::isSpecification))
				? list.stream().map(this::annotated).toList() : bean;
	}

	private static boolean isSpecification(Object item) {
		return item instanceof McpServerFeatures.SyncToolSpecification
				|| item instanceof McpServerFeatures.AsyncToolSpecification
				|| item instanceof McpStatelessServerFeatures.SyncToolSpecification
				|| item instanceof McpStatelessServerFeatures.AsyncToolSpecification;
	}

	private Object annotated(Object item) {
		if (item instanceof McpServerFeatures.SyncToolSpecification sync) {
			return new McpServerFeatures.SyncToolSpecification(annotated(sync.tool()), sync.callHandler());
		}
		if (item instanceof McpServerFeatures.AsyncToolSpecification async) {
			return new McpServerFeatures.AsyncToolSpecification(annotated(async.tool()), async.callHandler());
		}
		if (item instanceof McpStatelessServerFeatures.SyncToolSpecification sync) {
			return new McpStatelessServerFeatures.SyncToolSpecification(annotated(sync.tool()), sync.callHandler());
		}
		if (item instanceof McpStatelessServerFeatures.AsyncToolSpecification async) {
			return new McpStatelessServerFeatures.AsyncToolSpecification(annotated(async.tool()), async.callHandler());
		}
		return item;
	}

	private Tool annotated(Tool tool) {
		if (tool.annotations() != null) {
			return tool;
		}
		return this.tools.get()
			.metadataOf(tool.name())
			.map((known) -> new Tool(tool.name(), tool.title(), tool.description(), tool.inputSchema(),
					tool.outputSchema(), hints(known), tool.meta(), tool.icons()))
			.orElse(tool);
	}

	/**
	 * Without known side effects, {@code destructiveHint} is not set; MCP clients then
	 * assume that it is true.
	 */
	private static ToolAnnotations hints(TaggedToolMetadata known) {
		ToolAnnotations.Builder hints = ToolAnnotations.builder();
		if (!known.sideEffects().isEmpty()) {
			hints.readOnlyHint(known.isReadOnly())
				.destructiveHint(known.sideEffects().contains(SideEffect.DESTRUCTIVE));
		}
		if (known.runsOnce() || known.sideEffects().contains(SideEffect.IDEMPOTENT)) {
			hints.idempotentHint(true);
		}
		return hints.build();
	}

}
