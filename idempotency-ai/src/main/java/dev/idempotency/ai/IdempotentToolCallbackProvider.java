package dev.idempotency.ai;

import java.util.Arrays;
import java.util.function.UnaryOperator;

import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;

/**
 * Gives out what another provider has, protected.
 *
 * @param provider has the tools, which may change
 * @param protection protects them
 */
record IdempotentToolCallbackProvider(ToolCallbackProvider provider,
		UnaryOperator<ToolCallback> protection) implements ToolCallbackProvider {

	@Override
	public ToolCallback[] getToolCallbacks() {
		return Arrays.stream(this.provider.getToolCallbacks()).map(this.protection).toArray(ToolCallback[]::new);
	}

}
