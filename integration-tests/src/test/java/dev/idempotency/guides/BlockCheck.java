package dev.idempotency.guides;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

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

	private final Map<String, Rule> rules;

	BlockCheck(Path root) {
		Rule settings = new SettingsRule();
		Rule dependencies = new DependencyRule(root);
		Rule commands = new CommandRule(root);
		Rule drawing = BlockCheck::drawing;
		this.rules = Map.ofEntries(Map.entry("java", new JavaRule(root)), Map.entry("yaml", settings),
				Map.entry("properties", settings), Map.entry("xml", dependencies), Map.entry("kotlin", dependencies),
				Map.entry("groovy", dependencies), Map.entry("sql", new SqlRule()), Map.entry("console", commands),
				Map.entry("bash", commands), Map.entry("text", drawing), Map.entry("", drawing));
	}

	List<String> complaints(CodeBlock block) {
		Rule rule = this.rules.get(block.language());
		return (rule != null) ? rule.complaints(block)
				: List.of("Nothing checks a block of '%s'".formatted(block.language()));
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
