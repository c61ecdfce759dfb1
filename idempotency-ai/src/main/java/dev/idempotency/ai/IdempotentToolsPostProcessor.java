package dev.idempotency.ai;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import org.springframework.ai.tool.StaticToolCallbackProvider;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.method.MethodToolCallbackProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Protects tools that are beans, or come from one, and whose methods are annotated. Other
 * tools stay as they are.
 */
public final class IdempotentToolsPostProcessor implements BeanPostProcessor {

	private final Supplier<IdempotentTools> tools;

	/**
	 * Create a post-processor.
	 * @param tools resolved when the first tool is processed
	 */
	public IdempotentToolsPostProcessor(Supplier<IdempotentTools> tools) {
		this.tools = tools;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof ToolCallback tool) {
			return IdempotentTools.isAnnotated(tool) ? this.tools.get().wrapIfAnnotated(tool) : tool;
		}
		if (bean instanceof ToolCallbackProvider provider) {
			return isToBeWrapped(provider)
					? new IdempotentToolCallbackProvider(provider, (tool) -> this.tools.get().wrapIfAnnotated(tool))
					: provider;
		}
		if (bean instanceof ToolCallback[] tools && anyAnnotated(tools)) {
			return Arrays.stream(tools).map(this.tools.get()::wrapIfAnnotated).toArray(ToolCallback[]::new);
		}
		if (bean instanceof List<?> list && anyAnnotated(list)) {
			return list.stream().map(this::wrapItem).toList();
		}
		return bean;
	}

	/**
	 * Providers of other classes are not wrapped: they may be injected by their class, or
	 * may not know their tools yet.
	 */
	private static boolean isToBeWrapped(ToolCallbackProvider provider) {
		boolean known = provider instanceof MethodToolCallbackProvider
				|| provider.getClass() == StaticToolCallbackProvider.class;
		return known ? anyAnnotated(provider.getToolCallbacks()) : provider.getClass().isHidden();
	}

	private static boolean anyAnnotated(ToolCallback[] tools) {
		return Arrays.stream(tools).anyMatch(IdempotentTools::isAnnotated);
	}

	private static boolean anyAnnotated(List<?> items) {
		return items.stream()
			.anyMatch((item) -> item instanceof ToolCallback tool && IdempotentTools.isAnnotated(tool));
	}

	private Object wrapItem(Object item) {
		return (item instanceof ToolCallback tool) ? this.tools.get().wrapIfAnnotated(tool) : item;
	}

}
