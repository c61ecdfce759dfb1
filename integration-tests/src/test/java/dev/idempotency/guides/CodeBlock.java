package dev.idempotency.guides;

import java.nio.file.Path;
import java.util.List;

/**
 * A fenced block of a markdown file.
 *
 * @param file where it stands
 * @param line the line of its fence, from 1
 * @param language what the fence says of it, or an empty text
 * @param lines what is in it
 */
record CodeBlock(Path file, int line, String language, List<String> lines) {

	CodeBlock {
		lines = List.copyOf(lines);
	}

	String text() {
		return String.join("\n", this.lines) + "\n";
	}

	@Override
	public String toString() {
		return "%s:%d %s".formatted(this.file.getFileName(), this.line, this.language);
	}

}
