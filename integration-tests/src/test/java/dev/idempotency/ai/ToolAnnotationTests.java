package dev.idempotency.ai;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyMethodAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencySwitchAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyToolsAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.ai.tool.execution.ToolExecutionException;
import org.springframework.ai.tool.method.MethodToolCallbackProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@code @Idempotent} on methods that are tools.
 */
class ToolAnnotationTests {

	private static final ToolContext ALICE = session("alice");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, IdempotencyMethodAutoConfiguration.class,
				IdempotencyToolsAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withBean(Tools.class);

	private static ToolContext session(String id) {
		return new ToolContext(Map.of(ToolSession.DEFAULT_ENTRY, id));
	}

	private static ToolCallback tool(ApplicationContext context, String name) {
		return Arrays.stream(context.getBean(ToolCallbackProvider.class).getToolCallbacks())
			.filter((tool) -> tool.getToolDefinition().name().equals(name))
			.findFirst()
			.orElseThrow();
	}

	@Test
	void runsAnAnnotatedToolOnce() {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			ToolCallback charge = tool(context, "charge");
			String first = charge.call("{\"customer\":\"c-1\",\"amount\":5}", ALICE);
			assertThat(charge.call("{\"amount\":5,\"customer\":\"c-1\"}", ALICE)).isEqualTo(first).contains("c-1");
			assertThat(context.getBean(Tools.class).calls()).containsExactly("charge c-1 5");
			charge.call("{\"customer\":\"c-1\",\"amount\":5}", session("bob"));
			assertThat(context.getBean(Tools.class).calls()).hasSize(2);
		});
	}

	@Test
	void tellsTheEffectThatTheAnnotationNames() {
		this.runner.run((context) -> assertThat(tool(context, "open").call("{\"name\":\"x\"}", ALICE))
			.isEqualTo("{\"effect\":\"created\",\"result\":\"opened x\"}"));
	}

	@Test
	void keepsWhatAnAnnotatedToolReads() {
		this.runner.run((context) -> {
			ToolCallback balance = tool(context, "balance");
			balance.call("{\"customer\":\"c-1\"}", ALICE);
			balance.call("{\"customer\":\"c-1\"}", ALICE);
			assertThat(context.getBean(Tools.class).calls()).containsExactly("balance c-1");
		});
	}

	@Test
	void leavesOthersAsTheyAre() {
		this.runner.run((context) -> {
			assertThat(tool(context, "plain")).isNotInstanceOf(IdempotentToolCallback.class);
			tool(context, "excluded").call("{}");
			tool(context, "excluded").call("{}");
			tool(context, "wipe").call("{}");
			assertThat(context.getBean(Tools.class).calls()).containsExactly("excluded", "excluded", "wipe");
		});
	}

	@Test
	void readsTagsOfAllTools() {
		this.runner.run((context) -> {
			assertThat(SideEffect.of(tool(context, "charge"))).isEmpty();
			assertThat(SideEffect.of(tool(context, "balance"))).containsExactly(SideEffect.READ);
			assertThat(SideEffect.of(tool(context, "wipe"))).containsExactlyInAnyOrder(SideEffect.DESTRUCTIVE,
					SideEffect.IDEMPOTENT);
		});
	}

	@Test
	void leavesAToolWithAKeyToTheEdgeForMethods() {
		this.runner.run((context) -> {
			ToolCallback refund = tool(context, "refund");
			refund.call("{\"order\":\"1\",\"reason\":\"late\"}", ALICE);
			refund.call("{\"order\":\"1\",\"reason\":\"broken\"}");
			assertThat(context.getBean(Tools.class).calls()).containsExactly("refund 1");
		});
	}

	@Test
	void refusesCallsThatGoPastTheCallback() {
		this.runner.run((context) -> {
			Tools tools = context.getBean(Tools.class);
			assertThatExceptionOfType(IdempotencyKeyMissingException.class).isThrownBy(() -> tools.charge("c-1", 5))
				.withMessageContaining("IdempotentTools");
			ToolCallback unprotected = Arrays
				.stream(MethodToolCallbackProvider.builder().toolObjects(tools).build().getToolCallbacks())
				.filter((tool) -> tool.getToolDefinition().name().equals("charge"))
				.findFirst()
				.orElseThrow();
			assertThat(IdempotentTools.isAnnotated(unprotected)).isTrue();
			assertThatExceptionOfType(ToolExecutionException.class)
				.isThrownBy(() -> unprotected.call("{\"customer\":\"c-1\",\"amount\":5}", ALICE))
				.withCauseInstanceOf(IdempotencyKeyMissingException.class);
			assertThat(tools.calls()).isEmpty();
		});
	}

	@Test
	void stopsLoopsAsTheSettingsSay() {
		this.runner.withPropertyValues("idempotency.tools.loop-guard=1", "idempotency.tools.session-key=chat")
			.run((context) -> {
				ToolCallback charge = tool(context, "charge");
				ToolContext chat = new ToolContext(Map.of("chat", "1"));
				charge.call("{\"customer\":\"c-1\",\"amount\":5}", chat);
				assertThatExceptionOfType(ToolExecutionException.class)
					.isThrownBy(() -> charge.call("{\"customer\":\"c-1\",\"amount\":5}", chat))
					.withMessageStartingWith("Stop.");
			});
	}

	@Test
	void runsEachTimeWhenSwitchedOff() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.withConfiguration(AutoConfigurations.of(IdempotencySwitchAutoConfiguration.class))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				ToolCallback charge = tool(context, "charge");
				charge.call("{\"customer\":\"c-1\",\"amount\":5}");
				charge.call("{\"customer\":\"c-1\",\"amount\":5}");
				assertThat(context.getBean(Tools.class).calls()).hasSize(2);
			});
	}

	@Test
	void remembersAfterARestart(@TempDir Path folder) {
		ApplicationContextRunner application = this.runner
			.withConfiguration(
					AutoConfigurations.of(DataSourceAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + folder.resolve("records").toAbsolutePath());
		String input = "{\"customer\":\"c-1\",\"amount\":5}";
		List<String> answers = new ArrayList<>();
		for (int run = 0; run < 2; run++) {
			int expected = 1 - run;
			application.run((context) -> {
				answers.add(tool(context, "charge").call(input, ALICE));
				assertThat(context.getBean(Tools.class).calls()).hasSize(expected);
			});
		}
		assertThat(answers.get(1)).isEqualTo(answers.get(0));
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		ToolCallbackProvider toolCallbackProvider(Tools tools) {
			return MethodToolCallbackProvider.builder().toolObjects(tools).build();
		}

	}

	static class Tools {

		private final List<String> calls = new ArrayList<>();

		List<String> calls() {
			return this.calls;
		}

		@Tool
		@Idempotent
		public String charge(String customer, int amount) {
			this.calls.add("charge %s %d".formatted(customer, amount));
			return "charged %s, number %d".formatted(customer, this.calls.size());
		}

		@Tool
		@Idempotent(effect = Effect.CREATED)
		public String open(String name) {
			return "opened " + name;
		}

		@Tool
		@SideEffects(SideEffect.READ)
		@Idempotent(ttl = "1m")
		public String balance(String customer) {
			this.calls.add("balance " + customer);
			return "5";
		}

		@Tool
		@Idempotent(key = "#order")
		public String refund(String order, String reason) {
			this.calls.add("refund " + order);
			return reason;
		}

		@Tool
		@Idempotent(enabled = false)
		public String excluded() {
			this.calls.add("excluded");
			return "";
		}

		@Tool
		@SideEffects({ SideEffect.DESTRUCTIVE, SideEffect.IDEMPOTENT })
		public String wipe() {
			this.calls.add("wipe");
			return "";
		}

		@Tool
		public String plain() {
			return "";
		}

	}

}
