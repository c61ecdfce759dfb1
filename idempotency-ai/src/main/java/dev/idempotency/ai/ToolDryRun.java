package dev.idempotency.ai;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.execution.ToolExecutionException;

/**
 * Decides whether a call of a tool is a dry run.
 */
final class ToolDryRun {

	/**
	 * The entry of a tool's context that requests one.
	 */
	static final String ENTRY = "dryRun";

	private ToolDryRun() {
	}

	/**
	 * Whether a dry run is requested.
	 * @throws ToolExecutionException if the entry is neither true nor false: then nothing
	 * may run
	 */
	static boolean isAskedFor(ToolCallback tool, ToolOptions options, @Nullable ToolContext context) {
		Object asked = (context != null) ? context.getContext().get(ENTRY) : null;
		if (options.dryRun() || asked == null) {
			return options.dryRun();
		}
		return switch (asked.toString().strip().toLowerCase(Locale.ROOT)) {
			case "true" -> true;
			case "false" -> false;
			default -> throw new ToolExecutionException(tool.getToolDefinition(),
					new IllegalArgumentException(ToolReports.unclearDryRun(tool.getToolDefinition().name())));
		};
	}

}
