package dev.idempotency.ai;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;

/**
 * Guards the calls of one tool.
 */
interface GuardedTool {

	/**
	 * Calls the tool, or explains why it was not called.
	 * @param input the arguments from the model
	 * @param given the context from the application, or {@code null} if there is none
	 * @return the result for the model
	 */
	String call(ToolCallback tool, String input, @Nullable ToolContext given);

}
