package dev.idempotency.guides;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds what a block shows against the code, the settings, the builds and the tables that
 * there are.
 */
final class BlockCheck {

	/**
	 * What is wrong with a block.
	 */
	@FunctionalInterface
	interface Rule {

		List<String> complaints(CodeBlock block);

	}

	private static final Set<String> DIAGRAMS = Set.of("sequenceDiagram", "stateDiagram-v2", "flowchart");

	private final Map<String, Rule> rules;

	BlockCheck(Path root) {
		Rule settings = new SettingsRule();
		Rule dependencies = new DependencyRule(root);
		Rule commands = new CommandRule(root);
		Rule drawing = BlockCheck::drawing;
		this.rules = Map.ofEntries(Map.entry("java", new JavaRule(root)), Map.entry("yaml", settings),
				Map.entry("properties", settings), Map.entry("xml", dependencies), Map.entry("kotlin", dependencies),
				Map.entry("groovy", dependencies), Map.entry("sql", new SqlRule()), Map.entry("console", commands),
				Map.entry("bash", commands), Map.entry("mermaid", BlockCheck::diagram), Map.entry("text", drawing),
				Map.entry("", drawing));
	}

	List<String> complaints(CodeBlock block) {
		Rule rule = this.rules.get(block.language());
		return (rule != null) ? rule.complaints(block)
				: List.of("Nothing checks a block of '%s'".formatted(block.language()));
	}

	/**
	 * A diagram says first what it is, or nobody can draw it.
	 */
	private static List<String> diagram(CodeBlock block) {
		String kind = block.lines().isEmpty() ? "" : block.lines().get(0).strip().split(" ", -1)[0];
		return DIAGRAMS.contains(kind) ? drawing(block) : List.of("This is no diagram: '%s'".formatted(kind));
	}

	private static List<String> drawing(CodeBlock block) {
		return block.lines()
			.stream()
			.map(String::strip)
			.filter((line) -> line.endsWith(";") || line.endsWith("{"))
			.map((line) -> "This looks like code, and nothing checks it: " + line)
			.toList();
	}

}
