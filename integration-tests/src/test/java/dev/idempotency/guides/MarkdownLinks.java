package dev.idempotency.guides;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether what a markdown file points to is there: files, folders, and headings in
 * markdown files.
 */
final class MarkdownLinks {

	private static final Pattern CODE = Pattern.compile("`[^`]*`");

	private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

	private static final Pattern HEADING = Pattern.compile("^#{1,6} (.*)$");

	private static final Pattern ELSEWHERE = Pattern.compile("^[a-z]+:.*");

	private MarkdownLinks() {
	}

	/**
	 * The links of a file that lead nowhere.
	 */
	static List<String> broken(Path file) {
		return broken(file, CodeBlocks.prose(file));
	}

	static List<String> broken(Path file, List<String> prose) {
		List<String> broken = new ArrayList<>();
		for (int i = 0; i < prose.size(); i++) {
			// In a link's text, code is allowed; a link in code is none
			String line = CODE.matcher(prose.get(i)).replaceAll("");
			Matcher link = LINK.matcher(line);
			while (link.find()) {
				if (!ELSEWHERE.matcher(link.group(1)).matches() && !exists(file, link.group(1))) {
					broken.add("%s:%d %s".formatted(file.getFileName(), i + 1, link.group(1)));
				}
			}
		}
		return broken;
	}

	private static boolean exists(Path file, String link) {
		String[] parts = link.split("#", 2);
		Path target = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]);
		if (!Files.exists(target)) {
			return false;
		}
		return parts.length == 1 || (target.toString().endsWith(".md") && anchors(target).contains(parts[1]));
	}

	/**
	 * The names of headings, as GitHub makes them.
	 */
	private static Set<String> anchors(Path file) {
		Map<String, Integer> seen = new HashMap<>();
		Set<String> anchors = new HashSet<>();
		for (String line : CodeBlocks.prose(file)) {
			Matcher heading = HEADING.matcher(line);
			if (heading.matches()) {
				String name = heading.group(1)
					.strip()
					.toLowerCase(Locale.ROOT)
					.replaceAll("[^\\p{L}\\p{N} _-]", "")
					.replace(' ', '-');
				int count = seen.merge(name, 1, Integer::sum);
				anchors.add((count == 1) ? name : "%s-%d".formatted(name, count - 1));
			}
		}
		return anchors;
	}

}
