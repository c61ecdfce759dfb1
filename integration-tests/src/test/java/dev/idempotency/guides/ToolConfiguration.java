package dev.idempotency.guides;

import java.time.Duration;

import dev.idempotency.ai.IdempotentTools;
import dev.idempotency.ai.SideEffect;
import dev.idempotency.ai.ToolOptions;

import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.ai.tool.method.MethodToolCallbackProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * How the tools of {@code docs/agents.md} are offered.
 */
@Configuration(proxyBeanMethods = false)
class ToolConfiguration {

	@Bean
	ToolCallbackProvider paymentToolCallbacks(PaymentTools tools) {
		return MethodToolCallbackProvider.builder().toolObjects(tools).build();
	}

	@Bean
	ToolCallback refund(IdempotentTools tools, Payments payments) {
		ToolCallback refund = FunctionToolCallback.builder("refund", payments::charge)
			.description("Gives money back")
			.inputType(Order.class)
			.build();
		return tools.wrap(refund,
				ToolOptions.defaults()
					.withSideEffects(SideEffect.WRITE)
					.withTtl(Duration.ofDays(7))
					.withLoopGuard(3, Duration.ofMinutes(10)));
	}

}
