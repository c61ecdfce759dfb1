package dev.idempotency.autoconfigure;

import java.util.Map;

import dev.idempotency.Idempotency;
import dev.idempotency.ai.IdempotentTools;
import dev.idempotency.ai.McpToolHints;
import dev.idempotency.ai.ToolOptions;
import dev.idempotency.ai.ToolSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class IdempotencyToolsAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(IdempotencyAutoConfiguration.class, IdempotencySwitchAutoConfiguration.class,
						IdempotencyMethodAutoConfiguration.class, IdempotencyToolsAutoConfiguration.class))
		.withPropertyValues("idempotency.store=memory");

	@Test
	void protectsToolsWithSpringAi() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(IdempotentTools.class)
			.hasSingleBean(McpToolHints.class));
	}

	@Test
	void staysAwayWithoutSpringAiAndSaysNothingOfIt(CapturedOutput output) {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.ai", "io.modelcontextprotocol"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(Idempotency.class)
				.doesNotHaveBean("idempotentTools")
				.doesNotHaveBean("idempotentToolsPostProcessor"));
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void givesNoHintsWithoutMcp() {
		this.runner.withClassLoader(new FilteredClassLoader("io.modelcontextprotocol"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotentTools.class)
				.doesNotHaveBean("idempotencyMcpToolHints"));
	}

	@Test
	void isThereWhenProtectionIsSwitchedOff() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(IdempotentTools.class));
	}

	@Test
	void backsOffForTheApplicationsOwn() {
		IdempotentTools own = IdempotentTools.disabled();
		this.runner.withBean("own", IdempotentTools.class, () -> own)
			.run((context) -> assertThat(context.getBean(IdempotentTools.class)).isSameAs(own));
	}

	@Test
	void takesTheApplicationsSession() {
		this.runner
			.withBean(ToolSession.class,
					() -> (context) -> context.getContext().get("user") + ":" + context.getContext().get("chat"))
			.run((context) -> {
				ToolCallback tool = context.getBean(IdempotentTools.class)
					.wrap(FunctionToolCallback.builder("count", () -> System.identityHashCode(new Object())).build(),
							ToolOptions.defaults());
				ToolContext alice = new ToolContext(Map.of("user", "alice", "chat", 1));
				ToolContext bob = new ToolContext(Map.of("user", "bob", "chat", 1));
				assertThat(tool.call("{}", alice)).isEqualTo(tool.call("{}", alice)).isNotEqualTo(tool.call("{}", bob));
			});
	}

}
