package dev.idempotency.ai;

import java.util.UUID;

import dev.idempotency.IdempotencyKeyInvalidException;
import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Finds the session of a call in its context.
 *
 * @param entry the entry that is read first
 */
record ContextSession(String entry) implements ToolSession {

	private static final boolean MCP = ClassUtils.isPresent("io.modelcontextprotocol.server.McpSyncServerExchange",
			ContextSession.class.getClassLoader());

	ContextSession {
		Assert.hasText(entry, "The entry that names the session must not be blank");
	}

	@Override
	public @Nullable String idOf(ToolContext context) {
		String id = text(context.getContext().get(this.entry));
		if (id == null) {
			id = text(context.getContext().get(ChatMemory.CONVERSATION_ID));
		}
		return (id == null && MCP) ? McpSession.idOf(context) : id;
	}

	/**
	 * The text of any other object does not name a session. It may differ for each
	 * instance, or be the same for all.
	 */
	private static @Nullable String text(@Nullable Object value) {
		if (value == null || value instanceof CharSequence || value instanceof Number || value instanceof UUID) {
			String text = (value != null) ? value.toString() : "";
			return text.isBlank() ? null : text;
		}
		throw new IdempotencyKeyInvalidException(
				"The session of a tool call is named by a %s. Put its id into the tool context instead, as a text or a number"
					.formatted(value.getClass().getName()));
	}

	/**
	 * Describes where the session comes from, for messages.
	 */
	@Override
	public String toString() {
		return "the entry \"%s\" of the tool context".formatted(this.entry);
	}

}
