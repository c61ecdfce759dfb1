package dev.idempotency.guides;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.fixtures.Unchecked;
import org.jspecify.annotations.Nullable;

/**
 * A block of dependencies names modules of ours, in the version that is being built, and
 * otherwise what our own builds depend on and Spring Boot knows the version of, on a line
 * that they are tested on.
 */
final class DependencyRule implements BlockCheck.Rule {

	private static final String GROUP = "dev.idempotency";

	private static final Pattern XML = Pattern
		.compile("<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>(?:\\s*<version>([^<]+)</version>)?");

	private static final Pattern NOTATION = Pattern.compile("[\"']([\\w.-]+):([\\w.-]+)(?::([\\w.-]+))?[\"']");

	private static final Pattern LINE = Pattern.compile("<boot\\.[a-z]+\\.version>([^<]+)<");

	/**
	 * What only ever comes with the version of a Spring Boot line.
	 */
	private static final Set<String> OF_A_LINE = Set.of("org.springframework.boot:spring-boot-starter-parent",
			"org.springframework.boot:spring-boot-dependencies");

	/**
	 * What an example calls itself.
	 */
	private static final String EXAMPLE = "com.example";

	private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

	private final Set<String> modules = new HashSet<>();

	/**
	 * What our builds leave the version of to Spring Boot.
	 */
	private final Set<String> managed = new HashSet<>();

	private final Set<String> lines = new HashSet<>();

	private final String version;

	DependencyRule(Path root) {
		String parent = read(root.resolve("pom.xml"));
		Matcher own = XML.matcher(parent);
		if (!own.find()) {
			throw new IllegalStateException("The build has no version");
		}
		this.version = own.group(3);
		Matcher line = LINE.matcher(parent);
		while (line.find()) {
			this.lines.add(line.group(1));
		}
		Matcher module = MODULE.matcher(parent);
		while (module.find()) {
			this.modules.add(module.group(1));
			Matcher dependency = XML.matcher(read(root.resolve(module.group(1)).resolve("pom.xml")));
			while (dependency.find()) {
				if (dependency.group(3) == null) {
					this.managed.add(dependency.group(1) + ":" + dependency.group(2));
				}
			}
		}
	}

	/**
	 * The version that is being built.
	 */
	String version() {
		return this.version;
	}

	/**
	 * The versions of Spring Boot that the builds know.
	 */
	Set<String> lines() {
		return this.lines;
	}

	private static String read(Path file) {
		return Unchecked.get(() -> Files.readString(file));
	}

	@Override
	public List<String> complaints(CodeBlock block) {
		List<String> complaints = new ArrayList<>();
		Matcher matcher = (block.language().equals("xml") ? XML : NOTATION).matcher(block.text());
		boolean any = false;
		while (matcher.find()) {
			any = true;
			String complaint = complaint(matcher.group(1), matcher.group(2), matcher.group(3));
			if (complaint != null) {
				complaints.add(complaint);
			}
		}
		return any ? complaints : List.of("There is no dependency in it, and nothing else is checked");
	}

	private @Nullable String complaint(String group, String artifact, @Nullable String version) {
		String coordinates = group + ":" + artifact;
		if (group.equals(GROUP)) {
			if (!this.modules.contains(artifact) || !artifact.startsWith("idempotency-")) {
				return "We publish no " + coordinates;
			}
			return this.version.equals(version) ? null
					: "%s is being built as %s, not %s".formatted(coordinates, this.version, version);
		}
		if (group.equals(EXAMPLE)) {
			return null;
		}
		if (OF_A_LINE.contains(coordinates)) {
			return (version != null && this.lines.contains(version)) ? null
					: "%s is tested in %s, not %s".formatted(coordinates, this.lines, version);
		}
		if (version != null) {
			return "%s should leave its version %s to Spring Boot".formatted(coordinates, version);
		}
		return this.managed.contains(coordinates) ? null : "No build of ours knows " + coordinates;
	}

}
