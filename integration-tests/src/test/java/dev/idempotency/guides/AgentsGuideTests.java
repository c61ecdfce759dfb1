package dev.idempotency.guides;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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

}
