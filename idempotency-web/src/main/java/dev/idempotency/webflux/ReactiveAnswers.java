package dev.idempotency.webflux;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer.Delivery;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.KeptHeaders;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;

/**
 * Writes {@link HttpAnswer}s to the responses of a server.
 */
final class ReactiveAnswers {

	private ReactiveAnswers() {
	}

	static void writeEffect(EffectHeader effect, ServerHttpResponse response) {
		response.getHeaders().set(EffectHeader.NAME, effect.value());
	}

	/**
	 * Sends an {@code HttpAnswer} of which the client has seen nothing yet.
	 */
	static Mono<Void> send(HttpAnswer answer, ServerHttpResponse response) {
		write(answer.headers(), response.getHeaders());
		return sendWithoutHeaders(answer, response);
	}

	/**
	 * Sends an {@code HttpAnswer} whose headers the response has already.
	 */
	static Mono<Void> sendWithoutHeaders(HttpAnswer answer, ServerHttpResponse response) {
		response.setRawStatusCode(answer.status());
		if (answer.delivery() == Delivery.STREAMED) {
			response.getHeaders().remove(HttpHeaders.CONTENT_LENGTH);
			return response.writeWith(answer.body().isEmpty() ? Flux.empty()
					: Flux.defer(() -> Flux.just(response.bufferFactory().wrap(answer.body().toBytes()))));
		}
		if (answer.body().isEmpty()) {
			return response.setComplete();
		}
		response.getHeaders().setContentLength(answer.body().length());
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(answer.body().toBytes())));
	}

	/**
	 * Writes headers; one without values is removed.
	 */
	static void write(Map<String, List<String>> headers, HttpHeaders target) {
		headers.forEach((name, values) -> {
			if (values.isEmpty()) {
				target.remove(name);
			}
			else {
				target.put(name, new ArrayList<>(values));
			}
		});
	}

	/**
	 * The headers that are stored with a response. The content type is stored, changed or
	 * not.
	 */
	static Map<String, List<String>> kept(Map<String, List<String>> changed, HttpHeaders now, KeptHeaders rule) {
		Map<String, List<String>> kept = new LinkedHashMap<>();
		changed.forEach((name, values) -> {
			if (!name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE) && rule.isKept(name)) {
				kept.put(name, values);
			}
		});
		String type = now.getFirst(HttpHeaders.CONTENT_TYPE);
		if (type != null) {
			kept.put(HttpHeaders.CONTENT_TYPE, List.of(type));
		}
		return kept;
	}

}
