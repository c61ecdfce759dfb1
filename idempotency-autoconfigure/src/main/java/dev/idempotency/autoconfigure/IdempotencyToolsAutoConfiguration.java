package dev.idempotency.autoconfigure;

import dev.idempotency.Idempotency;
import dev.idempotency.ai.IdempotentTools;
import dev.idempotency.ai.IdempotentToolsPostProcessor;
import dev.idempotency.ai.McpToolHints;
import dev.idempotency.ai.ToolDefaults;
import dev.idempotency.ai.ToolOptions.LoopGuard;
import dev.idempotency.ai.ToolSession;
import dev.idempotency.autoconfigure.IdempotencyProperties.Tools;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.store.MonotonicClock;
import io.modelcontextprotocol.server.McpServerFeatures;

import org.springframework.ai.tool.ToolCallback;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Auto-configuration of the edge for tools of agents. It also applies when protection is
 * switched off, since applications depend on its beans.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass(ToolCallback.class)
public final class IdempotencyToolsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	IdempotentTools idempotentTools(Idempotency idempotency, AnnotationPolicies policies,
			ObjectProvider<IdempotencyProperties> properties, ObjectProvider<ToolSession> session) {
		IdempotencyProperties all = properties.getIfAvailable();
		if (all == null) {
			return IdempotentTools.disabled();
		}
		Tools settings = all.tools();
		ToolDefaults defaults = new ToolDefaults(
				session.getIfAvailable(() -> ToolSession.ofEntry(settings.sessionKey())),
				new LoopGuard(settings.loopGuard(), settings.loopWindow()));
		return new IdempotentTools(idempotency, policies, defaults, new MonotonicClock());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static IdempotentToolsPostProcessor idempotentToolsPostProcessor(ObjectProvider<IdempotentTools> tools) {
		return new IdempotentToolsPostProcessor(tools::getObject);
	}

	/**
	 * Hints for clients of an MCP server.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(McpServerFeatures.class)
	static class Mcp {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static McpToolHints idempotencyMcpToolHints(ObjectProvider<IdempotentTools> tools) {
			return new McpToolHints(tools::getObject);
		}

	}

}
