package dev.idempotency.model;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.fixtures.Unchecked;

/**
 * A diagram in {@code docs/model.md}: what happens where a mistake is made.
 */
record Counterexample(String mistake, String property, Script script) {

	private static final Path GUIDE = Path.of("../docs/model.md");

	private static final Pattern SECTION = Pattern
		.compile("(?ms)^### (\\w+) breaks (\\w+)$.*?^```mermaid\nsequenceDiagram\n(.*?)^```$");

	private static final Pattern PARTICIPANT = Pattern.compile("participant (\\w+) as \\1 on (\\w+)");

	private static final Pattern ASKED = Pattern.compile("(\\w+)->>store: (\\w+)");

	private static final Pattern NOTED = Pattern.compile("Note over (\\w+): (\\w+)");

	static List<Counterexample> inTheGuide() {
		String guide = Unchecked.get(() -> Files.readString(GUIDE));
		return SECTION.matcher(guide)
			.results()
			.map((section) -> new Counterexample(section.group(1), section.group(2), script(section.group(3))))
			.toList();
	}

	private static Script script(String diagram) {
		Map<String, String> instances = new LinkedHashMap<>();
		List<String> steps = new ArrayList<>();
		List<String> repeated = new ArrayList<>();
		List<String> current = steps;
		for (String line : diagram.lines().map(String::trim).toList()) {
			Matcher participant = PARTICIPANT.matcher(line);
			Matcher asked = ASKED.matcher(line);
			Matcher noted = NOTED.matcher(line);
			if (participant.matches()) {
				instances.put(participant.group(1), participant.group(2));
			}
			else if (asked.matches()) {
				current.add("%s[%s]".formatted(asked.group(2), asked.group(1)));
			}
			else if (noted.matches()) {
				String instance = instances.get(noted.group(1));
				current.add((instance != null) ? "%s[%s]".formatted(noted.group(2), instance) : noted.group(2));
			}
			else if (line.equals("loop for ever")) {
				current = repeated;
			}
			else if (!line.equals("end") && !line.equals("participant store")) {
				throw new IllegalStateException("What does this mean in the model? " + line);
			}
		}
		return Script.of(instances, steps, repeated);
	}

	@Override
	public String toString() {
		return "%s breaks %s".formatted(this.mistake, this.property);
	}

}
