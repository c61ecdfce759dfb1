package dev.idempotency.ai;

import java.util.Objects;

import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.ToolOperations;
import dev.idempotency.call.UnprotectedContext;
import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;

/**
 * A tool that runs each time, because protection is switched off. It still has a context,
 * and dry runs do not run it.
 */
final class UnprotectedTool implements GuardedTool {

	private final ToolOptions options;

	private final boolean readsOnly;

	UnprotectedTool(ToolOptions options, boolean readsOnly) {
		this.options = options;
		this.readsOnly = readsOnly;
	}

	@Override
	public String call(ToolCallback tool, String input, @Nullable ToolContext given) {
		String name = tool.getToolDefinition().name();
		if (!this.readsOnly && ToolDryRun.isAskedFor(tool, this.options, given)) {
			return ToolReports.ofDryRun(name, null, this.options.onCrash());
		}
		IdempotencyKey key = UnprotectedContext.randomKey(ToolOperations.of(name));
		try (Binding binding = new UnprotectedContext(key).makeCurrent()) {
			Objects.requireNonNull(binding);
			return (given != null) ? tool.call(input, given) : tool.call(input);
		}
	}

}
