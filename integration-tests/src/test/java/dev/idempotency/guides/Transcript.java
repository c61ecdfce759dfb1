package dev.idempotency.guides;

import java.util.ArrayList;
import java.util.List;

/**
 * A command, and what it is said to answer: a head, a blank line and a body. The order in
 * a head does not matter, and a line that is an ellipsis stands for further ones.
 *
 * @param command what is typed in
 * @param answer what is printed then
 */
record Transcript(String command, List<String> answer) {

	private static final String PROMPT = "$ ";

	private static final String FURTHER_LINES = "…";

	Transcript {
		answer = List.copyOf(answer);
	}

	static List<Transcript> in(List<String> lines) {
		List<Transcript> transcripts = new ArrayList<>();
		for (int i = 0; i < lines.size(); i++) {
			if (lines.get(i).startsWith(PROMPT)) {
				int end = i + 1;
				while (end < lines.size() && !lines.get(end).startsWith(PROMPT)) {
					end++;
				}
				transcripts.add(new Transcript(lines.get(i).substring(PROMPT.length()), lines.subList(i + 1, end)));
			}
		}
		return transcripts;
	}

	/**
	 * In what the real answer differs from the one that is shown.
	 */
	List<String> differences(List<String> real) {
		List<String> shownHead = head(this.answer);
		List<String> realHead = head(real);
		List<String> differences = new ArrayList<>();
		if (!realHead.subList(0, 1).equals(shownHead.subList(0, 1))) {
			differences.add("begins with " + realHead.get(0));
		}
		shownHead.stream()
			.filter((line) -> !line.equals(FURTHER_LINES) && !realHead.contains(line))
			.forEach((line) -> differences.add("has no " + line));
		if (!shownHead.contains(FURTHER_LINES)) {
			realHead.stream()
				.filter((line) -> !shownHead.contains(line))
				.forEach((line) -> differences.add("also has " + line));
		}
		if (!body(real).equals(body(this.answer))) {
			differences.add("ends with " + body(real));
		}
		return differences;
	}

	private static List<String> head(List<String> lines) {
		return lines.stream().takeWhile((line) -> !line.isBlank()).map(String::strip).toList();
	}

	private static List<String> body(List<String> lines) {
		return lines.stream().dropWhile((line) -> !line.isBlank()).skip(1).toList();
	}

}
