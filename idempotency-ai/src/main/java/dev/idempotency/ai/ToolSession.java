package dev.idempotency.ai;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;

/**
 * Finds the session of a tool call. Results are stored for one session and never given to
 * another.
 */
@FunctionalInterface
public interface ToolSession {

	/**
	 * The default name of the entry of a tool's context that contains the id of the
	 * session.
	 */
	String DEFAULT_ENTRY = "sessionId";

	/**
	 * Returns the session of a call. It must not come from the model, since it decides
	 * who may see the result.
	 * @param context the context from the application; empty if there is none
	 * @return its id, the same whenever the task is started again, or {@code null} if
	 * there is none
	 */
	@Nullable String idOf(ToolContext context);

	/**
	 * Returns the session that an entry of the context names, else the conversation of
	 * Spring AI's chat memory, else the session of an MCP client.
	 * @param entry the name of the entry
	 */
	static ToolSession ofEntry(String entry) {
		return new ContextSession(entry);
	}

	/**
	 * Returns one session for all calls, for an application with a single user.
	 */
	static ToolSession fixed(String id) {
		return (context) -> id;
	}

}
