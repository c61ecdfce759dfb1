package dev.idempotency.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the Gradle build says of itself, read as text: Gradle is not needed for it.
 */
final class GradleBuild {

	private static final Map<String, String> SCOPES = Map.of("api", "compile", "implementation", "compile",
			"testImplementation", "test", "optional", "optional", "annotationProcessor", "processor", "runtimeOnly",
			"runtime");

	private final Path root;

	private final String catalog;

	GradleBuild(Path root) throws IOException {
		this.root = root;
		this.catalog = Files.readString(root.resolve("gradle/libs.versions.toml"));
	}

	List<String> modules() throws IOException {
		return all("include\\(\"([^\"]+)\"\\)", Files.readString(this.root.resolve("settings.gradle.kts")));
	}

	String groupAndVersion() throws IOException {
		String properties = Files.readString(this.root.resolve("gradle.properties"));
		return first("(?m)^group=(.*)$", properties) + ":" + first("(?m)^version=(.*)$", properties);
	}

	Map<String, String> versions() {
		Map<String, String> versions = new TreeMap<>();
		String section = first("(?s)\\[versions]\n(.*?)\n\\[", this.catalog);
		Pattern.compile("(?m)^([a-z0-9-]+) = \"(.*)\"$")
			.matcher(section)
			.results()
			.forEach((version) -> versions.put(version.group(1), version.group(2)));
		return versions;
	}

	Map<String, String> dependencies(String module) throws IOException {
		Map<String, String> dependencies = new TreeMap<>();
		Pattern declaration = Pattern
			.compile("(\\w+)\\((libs\\.[a-z0-9.]+|project\\(\":[a-z-]+\"\\))\\)( \\{ isTransitive = false })?");
		for (String line : first("(?s)\ndependencies \\{\n(.*?)\n}", script(module)).split("\n", -1)) {
			if (line.isBlank() || line.trim().startsWith("//") || line.contains("latform(")) {
				continue;
			}
			Matcher parts = declaration.matcher(line.trim());
			String scope = parts.matches() ? SCOPES.get(parts.group(1)) : null;
			if (scope == null) {
				throw new IllegalStateException("What is this in Maven? " + line);
			}
			dependencies.put(coordinates(parts.group(2)), (parts.group(3) != null) ? scope + " alone" : scope);
		}
		return dependencies;
	}

	private String coordinates(String declared) {
		if (declared.startsWith("project(")) {
			return "dev.idempotency:" + first("\":([a-z-]+)\"", declared) + ":";
		}
		String alias = declared.substring("libs.".length()).replace('.', '-');
		String entry = first("(?m)^" + alias + " = \\{(.*)}$", this.catalog);
		String module = first("module = \"([^\"]+)\"", entry);
		Matcher version = Pattern.compile("version\\.ref = \"([^\"]+)\"").matcher(entry);
		return module + ":" + (version.find() ? versions().get(version.group(1)) : "");
	}

	String bootLine(String module) throws IOException {
		String script = script(module);
		Matcher enforced = Pattern.compile("enforcedPlatform\\(libs\\.boot\\.(\\w+)\\.bom\\)").matcher(script);
		if (enforced.find()) {
			return first("boot-%s-bom = \\{.*version\\.ref = \"boot-(\\w+)\"".formatted(enforced.group(1)),
					this.catalog);
		}
		if (script.contains("orElse(libs.versions.boot.test)")
				&& script.contains("spring-boot-dependencies:${boot.get()}")) {
			return "test";
		}
		boolean plugin = script.contains("alias(libs.plugins.spring.boot)")
				&& script.contains("platform(SpringBootPlugin.BOM_COORDINATES)");
		return plugin ? first("spring-boot = \\{.*version\\.ref = \"boot-(\\w+)\"", this.catalog) : "none";
	}

	boolean isPublished(String module) throws IOException {
		return script(module).contains("id(\"publish-conventions\")");
	}

	String description(String module) throws IOException {
		return first("(?m)^description = \"(.*)\"$", script(module));
	}

	/**
	 * What a repository wants to know of all that is published.
	 */
	Map<String, String> metadata() throws IOException {
		Map<String, String> metadata = new TreeMap<>();
		String pom = first("(?s)\n {12}pom \\{\n(.*?)\n {12}}", publishing());
		metadata.put("url", first("(?m)^ {16}url = \"(.*)\"$", pom));
		for (String part : List.of("license", "developer", "scm")) {
			String block = first("(?s)\\b" + part + " \\{\n(.*?)}", pom);
			Pattern.compile("(?m)^ +(\\w+) = \"(.*)\"$")
				.matcher(block)
				.results()
				.forEach((value) -> metadata.put(part + "." + value.group(1), value.group(2)));
		}
		return metadata;
	}

	/**
	 * What all published modules have in common.
	 */
	String publishing() throws IOException {
		return Files.readString(this.root.resolve("buildSrc/src/main/kotlin/publish-conventions.gradle.kts"));
	}

	/**
	 * What all modules have in common.
	 */
	String conventions() throws IOException {
		return Files.readString(this.root.resolve("buildSrc/src/main/kotlin/java-conventions.gradle.kts"));
	}

	/**
	 * The version of Gradle that is fetched.
	 */
	String wrapper() throws IOException {
		return Files.readString(this.root.resolve("gradle/wrapper/gradle-wrapper.properties"));
	}

	private String script(String module) throws IOException {
		return Files.readString(this.root.resolve(module).resolve("build.gradle.kts"));
	}

	private static String first(String pattern, String text) {
		return Pattern.compile(pattern)
			.matcher(text)
			.results()
			.findFirst()
			.map((match) -> match.group(1))
			.orElseThrow(() -> new IllegalStateException("Nothing matches " + pattern));
	}

	private static List<String> all(String pattern, String text) {
		return Pattern.compile(pattern).matcher(text).results().map((MatchResult match) -> match.group(1)).toList();
	}

}
