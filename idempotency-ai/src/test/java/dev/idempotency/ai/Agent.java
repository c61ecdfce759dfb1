package dev.idempotency.ai;

import java.util.List;
import java.util.Map;

import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.tool.ToolCallback;

/**
 * Asks a model and calls its tools, as Spring AI does, until the model has an answer.
 */
final class Agent {

	private final ScriptedModel model;

	private final List<ToolCallback> tools;

	Agent(ScriptedModel model, List<ToolCallback> tools) {
		this.model = model;
		this.tools = tools;
	}

	String run(String session) {
		ToolCallingManager manager = ToolCallingManager.builder().build();
		ToolCallingChatOptions options = ToolCallingChatOptions.builder()
			.toolCallbacks(this.tools)
			.toolContext(Map.of(ToolSession.DEFAULT_ENTRY, session))
			.build();
		Prompt prompt = new Prompt(List.of(new UserMessage("Do it")), options);
		ChatResponse response = this.model.call(prompt);
		while (response.hasToolCalls()) {
			prompt = new Prompt(manager.executeToolCalls(prompt, response).conversationHistory(), options);
			response = this.model.call(prompt);
		}
		return String.valueOf(response.getResults().get(0).getOutput().getText());
	}

}
