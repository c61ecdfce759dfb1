package dev.idempotency.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Measures what a request costs, and prints it. Without arguments, everything is measured
 * and written into the guide, which takes more than an hour. Nothing else should run on
 * the machine at that time.
 */
final class LoadRun {

	private static final Path GUIDE = Path.of("docs/benchmarks.md");

	private static final String BEGIN = "<!-- figures -->";

	private static final String END = "<!-- end of figures -->";

	private LoadRun() {
	}

	/**
	 * Runs.
	 * @param args the parts to measure; none for all of them
	 */
	public static void main(String[] args) throws IOException {
		String java = System.getProperty("load.java", "");
		String javaWithVirtualThreads = System.getProperty("load.virtual.java", java);
		int share = Integer.getInteger("load.share", 100);
		Map<String, Function<Parts, Figures>> parts = new LinkedHashMap<>();
		parts.put("requests", Parts::requests);
		parts.put("warmup", Parts::warmUps);
		parts.put("connections", Parts::connections);
		parts.put("threads", Parts::virtualThreads);
		parts.put("webflux", Parts::webFlux);
		parts.put("bodies", Parts::bodies);
		parts.put("sizes", Parts::storeSizes);
		List<String> chosen = (args.length > 0) ? Arrays.asList(args) : List.copyOf(parts.keySet());
		boolean all = chosen.size() == parts.size();
		// To try a change: a part of the requests
		parts.put("memory", Parts::memory);
		if (all) {
			requirePlaceFor(Files.readString(GUIDE));
		}
		List<String> sections = new ArrayList<>();
		sections.add(Machine.describe(java));
		try (Parts open = new Parts(java, javaWithVirtualThreads, share)) {
			for (String part : chosen) {
				Function<Parts, Figures> measured = parts.get(part);
				if (measured == null) {
					throw new IllegalArgumentException("%s is none of %s".formatted(part, parts.keySet()));
				}
				System.out.println(part);
				sections.add(measured.apply(open).toMarkdown());
			}
		}
		if (all) {
			write(String.join("\n", sections));
		}
	}

	/**
	 * Checked before anything is measured, to fail at once and not an hour later.
	 */
	private static void requirePlaceFor(String guide) {
		if (guide.indexOf(BEGIN) < 0 || guide.indexOf(END) < guide.indexOf(BEGIN)) {
			throw new IllegalStateException("%s has no place for figures".formatted(GUIDE));
		}
	}

	/**
	 * Replaces the figures between their marks, and keeps the text around them.
	 */
	private static void write(String figures) throws IOException {
		String text = Files.readString(GUIDE);
		requirePlaceFor(text);
		Files.writeString(GUIDE, text.substring(0, text.indexOf(BEGIN) + BEGIN.length()) + "\n\n" + figures + "\n"
				+ text.substring(text.indexOf(END)));
	}

}
