package dev.idempotency;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A message and its arguments. Settings stay {@link Setting} arguments, so that each
 * reader can be shown the names it knows them by.
 *
 * @param format the message, as for {@link String#format}, with {@code %s} for settings
 * @param facts its arguments
 */
public record Explanation(String format, List<@Nullable Object> facts) {

	/**
	 * Create an explanation.
	 * @param format the message
	 * @param facts its arguments: settings, other explanations, or anything else
	 * @return the explanation
	 */
	public static Explanation of(String format, @Nullable Object... facts) {
		return new Explanation(format, Collections.unmodifiableList(Arrays.asList(facts.clone())));
	}

	/**
	 * The message with settings by the given names.
	 * @param names gives the name of a setting
	 * @return the message
	 */
	public String with(Function<Setting, String> names) {
		return String.format(this.format, this.facts.stream().map((fact) -> named(fact, names)).toArray());
	}

	private static @Nullable Object named(@Nullable Object fact, Function<Setting, String> names) {
		if (fact instanceof Explanation inner) {
			return inner.with(names);
		}
		return (fact instanceof Setting setting) ? names.apply(setting) : fact;
	}

	/**
	 * The message with settings in plain words.
	 */
	@Override
	public String toString() {
		return with(Setting::words);
	}

}
