package dev.idempotency.ai;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.execution.ToolExecutionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Spring AI's own loop of a model and its tools, with a model that follows a script.
 */
class ToolLoopTests {

	private static final ToolOptions GUARDED = ToolOptions.defaults().withLoopGuard(3, Duration.ofMinutes(10));

	private final ToolFixture fixture = new ToolFixture();

	private final CountingTool charge = new CountingTool("charge");

	private final CountingTool ship = new CountingTool("ship");

	@Test
	void executesRepeatedCallsOnceAndStopsTheFourthInARow() {
		ScriptedModel model = new ScriptedModel("charge {\"customer\":\"c-1\",\"amount\":5}",
				"charge {\"amount\":5,\"customer\":\"c-1\"}", "charge { \"customer\": \"c-1\", \"amount\": 5.0 }",
				"charge {\"customer\":\"c-1\",\"amount\":5}", "I have charged them once.");
		String answer = new Agent(model, List.of(this.fixture.tools().wrap(this.charge, GUARDED))).run("task-1");
		assertThat(answer).isEqualTo("I have charged them once.");
		assertThat(this.charge.inputs()).hasSize(1);
		assertThat(model.heard()).hasSize(4);
		assertThat(model.heard().subList(0, 3)).containsOnly("answer 1");
		assertThat(model.heard().get(3)).startsWith("Stop. charge was called 3 times with the same arguments");
	}

	@Test
	void letsTheModelTryAgainWhatFailed() {
		this.charge.answering((input) -> {
			this.charge.answering((again) -> "paid");
			throw new ToolExecutionException(this.charge.getToolDefinition(),
					new IllegalStateException("The card network is down"));
		});
		ToolCallback tool = this.fixture.tools().wrap(this.charge, GUARDED);
		ScriptedModel model = new ScriptedModel("charge {\"amount\":5}", "charge {\"amount\":5}", "Done.");
		new Agent(model, List.of(tool)).run("task-1");
		assertThat(model.heard()).containsExactly("The card network is down", "paid");
	}

	@Test
	void goesOnFromFinishedToolsAfterARestart() {
		String[] script = { "charge {\"order\":1}", "ship {\"order\":1}", "Shipped." };
		this.ship.answering((input) -> {
			throw new Death();
		});
		Agent agent = new Agent(new ScriptedModel(script), tools());
		assertThatExceptionOfType(Death.class).isThrownBy(() -> agent.run("task-1"));
		this.ship.answering((input) -> "on its way");
		ScriptedModel model = new ScriptedModel(script);
		assertThat(new Agent(model, tools()).run("task-1")).isEqualTo("Shipped.");
		assertThat(model.heard()).containsExactly("answer 1", "on its way");
		assertThat(this.charge.inputs()).hasSize(1);
		assertThat(this.ship.inputs()).hasSize(2);
	}

	private List<ToolCallback> tools() {
		IdempotentTools tools = this.fixture.tools();
		return List.of(tools.wrap(this.charge, GUARDED), tools.wrap(this.ship, GUARDED));
	}

	/**
	 * The end of a process.
	 */
	private static final class Death extends Error {

		private static final long serialVersionUID = 1L;

	}

}
