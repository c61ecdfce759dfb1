package dev.idempotency.ai;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;

/**
 * A tool that counts how often it runs.
 */
final class CountingTool implements ToolCallback {

	private final String name;

	private final List<String> inputs = new ArrayList<>();

	private UnaryOperator<String> answer = (input) -> "answer %d".formatted(this.inputs.size());

	CountingTool(String name) {
		this.name = name;
	}

	CountingTool answering(UnaryOperator<String> answer) {
		this.answer = answer;
		return this;
	}

	/**
	 * What it was called with, each time that it ran.
	 */
	List<String> inputs() {
		return this.inputs;
	}

	@Override
	public ToolDefinition getToolDefinition() {
		return ToolDefinition.builder().name(this.name).description("Counts").inputSchema("{}").build();
	}

	@Override
	public String call(String input) {
		this.inputs.add(input);
		return this.answer.apply(input);
	}

}
