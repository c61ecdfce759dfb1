package dev.idempotency.guides;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A block of Java stands, line by line, in a source file that is compiled. Indentation
 * and blank lines do not matter.
 */
final class JavaRule implements BlockCheck.Rule {

	private static final List<String> SOURCES = List.of("idempotency-test/src/test", "integration-tests/src",
			"sample-app/src", "test-fixtures/src");

	private final Map<String, List<String>> sources = new TreeMap<>();

	JavaRule(Path root) {
		SOURCES.forEach((source) -> read(root.resolve(source)));
	}

	private void read(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".java")).toList()) {
				this.sources.put(file.toString(), relevant(Files.readAllLines(file)));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> relevant(List<String> lines) {
		return lines.stream().map(String::strip).filter((line) -> !line.isEmpty()).toList();
	}

	@Override
	public List<String> complaints(CodeBlock block) {
		List<String> wanted = relevant(block.lines());
		if (wanted.isEmpty()) {
			return List.of("There is nothing in it");
		}
		List<String> nearest = new ArrayList<>();
		int best = -1;
		for (Map.Entry<String, List<String>> source : this.sources.entrySet()) {
			int alike = mostAlike(source.getValue(), wanted);
			if (alike == wanted.size()) {
				return List.of();
			}
			if (alike > best) {
				best = alike;
				nearest.clear();
			}
			if (alike == best && best > 0) {
				nearest.add(source.getKey());
			}
		}
		return List.of("No compiled file has it; '%s' does not follow in %s".formatted(wanted.get(best), nearest));
	}

	/**
	 * How many of the lines stand in the source one after the other, from the first on.
	 */
	private static int mostAlike(List<String> source, List<String> wanted) {
		int most = 0;
		for (int start = 0; start < source.size(); start++) {
			int alike = 0;
			while (alike < wanted.size() && start + alike < source.size()
					&& source.get(start + alike).equals(wanted.get(alike))) {
				alike++;
			}
			most = Math.max(most, alike);
		}
		return most;
	}

}
