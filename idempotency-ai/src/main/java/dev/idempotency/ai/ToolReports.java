package dev.idempotency.ai;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import dev.idempotency.Effect;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The texts for the model: short, and with the next step.
 */
final class ToolReports {

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	private ToolReports() {
	}

	/**
	 * A result and its effect.
	 * @param effect {@code null} on a replay
	 */
	static String withEffect(String result, @Nullable Effect effect) {
		Map<String, Object> report = new LinkedHashMap<>();
		report.put("effect", (effect != null) ? effect.name().toLowerCase(Locale.ROOT) : "noop");
		report.put("result", jsonOrText(result));
		return JSON.writeValueAsString(report);
	}

	private static Object jsonOrText(String result) {
		try {
			Object json = JSON.readTree(result);
			return result.isBlank() ? result : json;
		}
		catch (JacksonException ex) {
			return result;
		}
	}

	/**
	 * What a call would do.
	 * @param state the state of its key, or {@code null} if there is no record
	 */
	static String ofDryRun(String tool, @Nullable RecordState state, OnCrash onCrash) {
		Map<String, Object> report = new LinkedHashMap<>();
		report.put("dryRun", true);
		report.put("tool", tool);
		if (state == RecordState.COMPLETED) {
			report.put("effect", "would_replay");
			report.put("detail", "Nothing has run. The same call was made before: its result would be replayed.");
		}
		else if (state == RecordState.IN_PROGRESS) {
			report.put("effect", "would_conflict");
			report.put("detail", "Nothing has run. The same call is running now.");
		}
		else if (state != null && onCrash == OnCrash.REFUSE) {
			report.put("effect", "would_conflict");
			report.put("detail", "Nothing has run. The same call was interrupted: it would be refused.");
		}
		else {
			report.put("effect", "would_execute");
			report.put("detail", "Nothing has run. Without the dry run, the tool would run.");
		}
		return JSON.writeValueAsString(report);
	}

	static String unclearDryRun(String tool) {
		return ("%s was not run: it is unclear whether this is a dry run, since \"%s\" in the context of the call is "
				+ "neither true nor false. Tell the user.")
			.formatted(tool, ToolDryRun.ENTRY);
	}

	static String loop(String tool, int calls) {
		return ("Stop. %s was called %d times with the same arguments, and was not called again: it would not help. "
				+ "Use the result that you have, call it with other arguments, or tell the user what you cannot do.")
			.formatted(tool, calls);
	}

	static String inProgress(String tool, long seconds) {
		return ("%s is running already, with the same arguments, and was not started again. Do something else, or make the "
				+ "same call again after %d s to get its result.")
			.formatted(tool, Math.max(1, seconds));
	}

	static String outcomeUnknown(String tool) {
		return ("%s was interrupted, and it is unknown whether it took effect. It was not run again. Do not repeat the "
				+ "call: find out what happened, or ask the user.")
			.formatted(tool);
	}

	static String failedWithoutOutcome(String tool) {
		return ("%s failed, and it is unknown whether it took effect. Find out what happened, or ask the user, before you "
				+ "make the same call again.")
			.formatted(tool);
	}

	static String notReplayable(String tool) {
		return ("%s has run with the same arguments, and was not run again. Its result was not stored. Do not repeat "
				+ "the call: look for its effect, or continue with the next step.")
			.formatted(tool);
	}

	static String notRemembered(String tool) {
		return "%s was not run, since it cannot be ensured now that it runs once. Try again later, or tell the user."
			.formatted(tool);
	}

}
