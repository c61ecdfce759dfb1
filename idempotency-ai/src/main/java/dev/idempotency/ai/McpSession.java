package dev.idempotency.ai;

import io.modelcontextprotocol.server.McpSyncServerExchange;
import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;

/**
 * The session of an MCP client. The server generates its id, which others cannot guess. A
 * client that knows the id can use the session, so only a digest of it is stored.
 */
final class McpSession {

	/**
	 * The entry in which Spring AI's MCP server passes the exchange to tools.
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
