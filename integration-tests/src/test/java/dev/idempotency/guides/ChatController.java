package dev.idempotency.guides;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import reactor.core.publisher.Flux;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The recipe of {@code docs/recipes.md} for event streams.
 */
@RestController
class ChatController {

	private final Assistant assistant;

	ChatController(Assistant assistant) {
		this.assistant = assistant;
	}

	@PostMapping(path = "/chats", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	@Idempotent(storeEvents = true, onConflict = OnConflict.WAIT, waitTimeout = "60s")
	Flux<String> chat(@RequestBody String message) {
		return this.assistant.answer(message);
	}

	/**
	 * What answers.
	 */
	@FunctionalInterface
	interface Assistant {

		Flux<String> answer(String message);

	}

}
