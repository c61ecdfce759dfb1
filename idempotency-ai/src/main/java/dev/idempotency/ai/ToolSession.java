package dev.idempotency.ai;

import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;

/**
 * Knows whose tool call it is: results are remembered for one session and never given to
 * another.
 */
@FunctionalInterface
public interface ToolSession {

	/**
	 * The name under which the context of a tool call has the id of its session, unless
	 * told otherwise.
	 */
	String DEFAULT_ENTRY = "sessionId";

	/**
	 * The session that a call belongs to. What the model says must not decide it: it is
	 * about the arguments of the call, and this is about who may see its result.
	 * @param context what the application has said about the call; empty if nothing
	 * @return its id, the same each time the task is begun anew, or {@code null} if there
	 * is none
	 */
	@Nullable String idOf(ToolContext context);

	/**
	 * The session that an entry of the context names, else the conversation of Spring
	 * AI's chat memory if it is there, else the session of an MCP client.
	 * @param entry the name of the entry
	 * @return the session
	 */
	static ToolSession ofEntry(String entry) {
		return new ContextSession(entry);
	}

	/**
	 * One session for all calls, for an application that has a single user.
	 * @param id its id
	 * @return the session
	 */
	static ToolSession fixed(String id) {
		return (context) -> id;
	}

}
