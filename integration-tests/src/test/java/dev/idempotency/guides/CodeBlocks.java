package dev.idempotency.guides;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.idempotency.fixtures.Unchecked;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fenced blocks of markdown.
 */
final class CodeBlocks {

	private static final String FENCE = "```";

	private CodeBlocks() {
	}

	static List<CodeBlock> in(Path file) {
		return in(file, lines(file));
	}

	static List<CodeBlock> in(Path file, List<String> markdown) {
		List<CodeBlock> blocks = new ArrayList<>();
		List<String> inside = null;
		int fence = 0;
		for (int i = 0; i < markdown.size(); i++) {
			String line = markdown.get(i);
			if (!line.strip().startsWith(FENCE)) {
				if (inside != null) {
					inside.add(line);
				}
			}
			else if (inside == null) {
				inside = new ArrayList<>();
				fence = i;
			}
			else {
				String language = markdown.get(fence).strip().substring(FENCE.length()).strip();
				blocks.add(new CodeBlock(file, fence + 1, language, inside));
				inside = null;
			}
		}
		requireClosed(inside, file, fence);
		return blocks;
	}

	private static void requireClosed(@Nullable List<String> inside, Path file, int fence) {
		if (inside != null) {
			throw new IllegalStateException("%s:%d is never closed".formatted(file, fence + 1));
		}
	}

	/**
	 * A file without what stands in its fences.
	 */
	static List<String> prose(Path file) {
		List<String> prose = new ArrayList<>();
		boolean inside = false;
		for (String line : lines(file)) {
			boolean fence = line.strip().startsWith(FENCE);
			prose.add((inside || fence) ? "" : line);
			inside ^= fence;
		}
		return prose;
	}

	private static List<String> lines(Path file) {
		return Unchecked.get(() -> Files.readAllLines(file));
	}

}
