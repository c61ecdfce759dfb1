package dev.idempotency;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A sentence with the facts that it is about. Settings are among them as such, so that
 * whoever knows how they are written can say so.
 *
 * @param format the sentence, as for {@link String#format}, with {@code %s} for settings
 * @param facts what is put into it
 */
public record Explanation(String format, List<@Nullable Object> facts) {

	/**
	 * Create an explanation.
	 * @param format the sentence
	 * @param facts what is put into it: settings, other explanations, or anything else
	 * @return the explanation
	 */
	public static Explanation of(String format, @Nullable Object... facts) {
		return new Explanation(format, Collections.unmodifiableList(Arrays.asList(facts.clone())));
	}

	/**
	 * The sentence for those who know the settings by some names.
	 * @param names gives their names
	 * @return the sentence
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
	 * The sentence in plain words.
	 */
	@Override
	public String toString() {
		return with(Setting::words);
	}

}
