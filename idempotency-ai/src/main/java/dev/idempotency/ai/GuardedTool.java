package dev.idempotency.ai;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;

/**
 * What stands around the calls of one tool.
 */
interface GuardedTool {

	/**
	 * Calls the tool, or says why not.
	 * @param input what the model has said
	 * @param given what the application has said, or {@code null} if nothing
	 * @return what the model is told
	 */
	String call(ToolCallback tool, String input, @Nullable ToolContext given);

}
