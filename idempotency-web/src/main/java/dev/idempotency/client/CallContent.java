package dev.idempotency.client;

import java.util.Collections;
import java.util.Map;

import dev.idempotency.IdempotencyKeys;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.MediaType;

/**
 * What of the body of a call tells it from others: the same in each attempt, however the
 * body was put together.
 */
final class CallContent {

	private static final String NOTHING = "";

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.build();

	private CallContent() {
	}

	/**
	 * A short name of the content.
	 * @param body {@code null} if it is not in memory
	 */
	static String hash(@Nullable MediaType type, byte @Nullable [] body) {
		// The parts of a form have another boundary each time
		if (body == null || (type != null && "multipart".equalsIgnoreCase(type.getType()))) {
			return NOTHING;
		}
		if (type != null && isJson(type)) {
			try {
				Object value = JSON.readValue(body, Object.class);
				Map<String, @Nullable Object> arguments = Collections.singletonMap("body", value);
				// A Map.of(…) is written in another order by each process
				return IdempotencyKeys.forArgs("json", arguments);
			}
			catch (JacksonException | IllegalArgumentException ex) {
				// Then every byte counts
			}
		}
		return IdempotencyKeys.sha256(body);
	}

	private static boolean isJson(MediaType type) {
		return "json".equalsIgnoreCase(type.getSubtype()) || "json".equalsIgnoreCase(type.getSubtypeSuffix());
	}

}
