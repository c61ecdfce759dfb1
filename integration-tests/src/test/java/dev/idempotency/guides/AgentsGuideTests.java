package dev.idempotency.guides;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.idempotency.IdempotencyKeys;
import dev.idempotency.autoconfigure.IdempotencyToolsAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The code of {@code docs/agents.md} at work.
 */
@Tag("once")
class AgentsGuideTests {

	private final Payments payments = new Payments();

	private final Warehouse warehouse = new Warehouse();

	private final ApplicationContextRunner runner = new Shop().runner()
		.withBean(Payments.class, () -> this.payments)
		.withBean(Warehouse.class, () -> this.warehouse)
		.withBean(AgentTask.class);

	@Test
	void goesOnWithATaskThatIsBegunAnew() {
		this.runner.run((context) -> {
			AgentTask task = context.getBean(AgentTask.class);
			Order order = new Order("1", 5);
			this.warehouse.close();
			assertThatIllegalStateException().isThrownBy(() -> task.run("task-1", order));
			this.warehouse.open();
			assertThat(task.run("task-1", order)).isEqualTo(new Parcel("1", "ch-1"));
			assertThat(task.run("task-1", order)).isEqualTo(new Parcel("1", "ch-1"));
			assertThat(this.payments.charges()).hasSize(1);
			assertThat(this.warehouse.parcels()).hasSize(1);
			task.run("task-2", order);
			assertThat(this.payments.charges()).hasSize(2);
		});
	}

	@Test
	void tellsTheModelWhatHappenedAndWhenToStop() {
		this.runner.withPropertyValues("idempotency.max-replays=3").run((context) -> {
			AgentTask task = context.getBean(AgentTask.class);
			assertThat(task.chargeCustomer("s-1", "c-1", 5)).startsWith("Charged now");
			for (int i = 0; i < 3; i++) {
				assertThat(task.chargeCustomer("s-1", "c-1", 5)).startsWith("Charged before");
			}
			assertThat(task.chargeCustomer("s-1", "c-1", 5)).startsWith("Stop.");
			assertThat(task.chargeCustomer("s-2", "c-1", 5)).startsWith("Charged now");
			assertThat(this.payments.charges()).hasSize(2);
		});
	}

	@Test
	void doesNotLimitTheReplaysOfASession() {
		this.runner.withPropertyValues("idempotency.max-replays=3").run((context) -> {
			AgentTask task = context.getBean(AgentTask.class);
			for (int i = 0; i < 6; i++) {
				task.run("task-1", new Order("1", 5));
			}
			assertThat(this.payments.charges()).hasSize(1);
		});
	}

	@Test
	void runsToolsOnceInASession() {
		this.runner.withConfiguration(AutoConfigurations.of(IdempotencyToolsAutoConfiguration.class))
			.withBean(PaymentTools.class)
			.withUserConfiguration(ToolConfiguration.class)
			.run((context) -> {
				ToolContext session = new ToolContext(Map.of("sessionId", IdempotencyKeys.join("alice", "chat-1")));
				List<ToolCallback> tools = new ArrayList<>(
						List.of(context.getBean(ToolCallbackProvider.class).getToolCallbacks()));
				tools.add(context.getBean("refund", ToolCallback.class));
				assertThat(tools).hasSize(3).allSatisfy((tool) -> {
					String first = tool.call("{\"order\":\"1\",\"amount\":5,\"id\":\"1\"}", session);
					assertThat(tool.call("{\"amount\":5,\"order\":\"1\",\"id\":\"1\"}", session))
						.isEqualTo(first.replace("created", "noop"));
				});
				assertThat(this.payments.charges()).hasSize(2);
			});
	}

}
