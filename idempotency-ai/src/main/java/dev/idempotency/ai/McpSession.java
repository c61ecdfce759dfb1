package dev.idempotency.ai;

import io.modelcontextprotocol.server.McpSyncServerExchange;
import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;

/**
 * The session of an MCP client. The server makes its id, which nobody else can guess; and
 * since whoever knows it can take the session over, only a digest of it is stored.
 */
final class McpSession {

	/**
	 * Under which Spring AI's MCP server tells tools who calls.
	 */
	private static final String EXCHANGE = "exchange";

	private McpSession() {
	}

	static @Nullable String idOf(ToolContext context) {
		if (context.getContext().get(EXCHANGE) instanceof McpSyncServerExchange exchange) {
			String id = exchange.sessionId();
			return (id != null && !id.isBlank()) ? "mcp:" + ToolCallKey.sha256(id) : null;
		}
		return null;
	}

}
