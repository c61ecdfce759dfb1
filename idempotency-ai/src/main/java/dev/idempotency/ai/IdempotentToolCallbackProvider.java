package dev.idempotency.ai;

import java.util.Arrays;
import java.util.function.UnaryOperator;

import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;

/**
 * Provides the tools of another provider, protected.
 *
 * @param provider the provider, whose tools may change
 * @param protection protects a tool
 */
record IdempotentToolCallbackProvider(ToolCallbackProvider provider,
		UnaryOperator<ToolCallback> protection) implements ToolCallbackProvider {

	@Override
	public ToolCallback[] getToolCallbacks() {
		return Arrays.stream(this.provider.getToolCallbacks()).map(this.protection).toArray(ToolCallback[]::new);
	}

}
