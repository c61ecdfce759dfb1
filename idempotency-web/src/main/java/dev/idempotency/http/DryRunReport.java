package dev.idempotency.http;

import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.idempotency.Reason;
import dev.idempotency.core.Preview;
import dev.idempotency.store.InspectableStore.Inspection;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Reports what a request would do.
 */
public final class DryRunReport {

	private static final JsonFactory JSON = new JsonFactory();

	private DryRunReport() {
	}

	/**
	 * The response to a dry run.
	 * @param preview what would happen
	 * @param key the client's key, or {@code null} if it sent none and needs none
	 */
	public static HttpAnswer of(Preview preview, @Nullable String key) {
		EffectHeader effect = effect(preview);
		Map<String, List<String>> headers = new LinkedHashMap<>();
		headers.put(HttpHeaders.CONTENT_TYPE, List.of(MediaType.APPLICATION_JSON_VALUE));
		headers.put(HttpHeaders.CACHE_CONTROL, List.of("no-store"));
		headers.put(EffectHeader.NAME, List.of(effect.value()));
		return new HttpAnswer(HttpStatus.OK.value(), HttpAnswer.Delivery.WHOLE, headers,
				AnswerBody.of(json(effect, key, preview.found())));
	}

	private static EffectHeader effect(Preview preview) {
		if (preview.answer() == null) {
			return EffectHeader.WOULD_EXECUTE;
		}
		Reason reason = preview.answer().reason();
		if (reason == null) {
			return EffectHeader.WOULD_REPLAY;
		}
		return switch (reason) {
			case IN_PROGRESS, OUTCOME_UNKNOWN, NOT_REPLAYABLE -> EffectHeader.WOULD_CONFLICT;
			case KEY_REUSED, REPLAY_LIMIT, REPLAY_DENIED, KEY_MISSING, KEY_INVALID, KEY_EXPIRED, BODY_TOO_LARGE,
					BODY_UNREADABLE, DRY_RUN_INVALID, DRY_RUN_UNSUPPORTED, RESULT_UNREADABLE, RESULT_TOO_LARGE,
					FAILURE_REPLAYED, STORE_UNAVAILABLE ->
				EffectHeader.WOULD_REJECT;
		};
	}

	private static byte[] json(EffectHeader effect, @Nullable String key, Optional<Inspection> found) {
		ByteArrayOutputStream target = new ByteArrayOutputStream();
		try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), target)) {
			json.writeStartObject();
			json.writeStringProperty("effect", effect.value());
			if (key != null) {
				json.writeStringProperty("key", key);
			}
			json.writeStringProperty("state", found.map((it) -> state(it)).orElse("absent"));
			if (found.isPresent()) {
				json.writeStringProperty("expires", found.get().status().expires().toString());
			}
			json.writeEndObject();
		}
		return target.toByteArray();
	}

	private static String state(Inspection found) {
		return found.status().state().name().toLowerCase(Locale.ROOT);
	}

}
