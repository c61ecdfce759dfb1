package dev.idempotency.ai;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.AssistantMessage.ToolCall;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;

/**
 * A model that says what it was told to say, one line for each time it is asked: a call
 * of a tool, {@code name arguments}, or what it answers in the end.
 */
final class ScriptedModel implements ChatModel {

	private final Deque<String> lines;

	private final List<String> heard = new ArrayList<>();

	ScriptedModel(String... lines) {
		this.lines = new ArrayDeque<>(Arrays.asList(lines));
	}

	@Override
	public ChatResponse call(Prompt prompt) {
		List<Message> messages = prompt.getInstructions();
		if (messages.get(messages.size() - 1) instanceof ToolResponseMessage response) {
			response.getResponses().forEach((result) -> this.heard.add(result.responseData()));
		}
		String line = Objects.requireNonNull(this.lines.poll(), "the script is over");
		int end = line.indexOf(" {");
		AssistantMessage.Builder<?> message = AssistantMessage.builder();
		if (end > 0) {
			message.toolCalls(List.of(new ToolCall("call-" + this.lines.size(), "function", line.substring(0, end),
					line.substring(end + 1))));
		}
		else {
			message.content(line);
		}
		return new ChatResponse(List.of(new Generation(message.build())));
	}

	/**
	 * What tools have answered.
	 */
	List<String> heard() {
		return this.heard;
	}

}
