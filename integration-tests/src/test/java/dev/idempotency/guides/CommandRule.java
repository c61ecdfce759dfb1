package dev.idempotency.guides;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The commands of a block are ones that something checks: those of the builds name
 * modules and test classes that exist, and those of clients stand in the README, where
 * they are run.
 */
final class CommandRule implements BlockCheck.Rule {

	/**
	 * What says nothing about this project.
	 */
	private static final Set<String> COMMON = Set.of("cd", "docker", "git", "java", "openssl");

	private static final Pattern ASSIGNMENT = Pattern.compile("^\\w+=\\S*\\s+");

	private static final Pattern MODULES = Pattern.compile("-pl\\s+(\\S+)");

	private static final Pattern TESTS = Pattern.compile("(?:-Dtest=|--tests\\s+)'?([\\w,.#*]+)");

	private static final Pattern PROJECT = Pattern.compile("\\s:([\\w-]+):");

	private final Path root;

	private final Set<String> classes;

	CommandRule(Path root) {
		this.root = root;
		try (Stream<Path> modules = Files.list(root)) {
			this.classes = modules.map((module) -> module.resolve("src/test/java"))
				.filter(Files::isDirectory)
				.flatMap(CommandRule::namesIn)
				.collect(Collectors.toSet());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Stream<String> namesIn(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.map((file) -> String.valueOf(file.getFileName()))
				.filter((name) -> name.endsWith(".java"))
				.map((name) -> name.substring(0, name.length() - ".java".length()))
				.toList()
				.stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public List<String> complaints(CodeBlock block) {
		List<String> complaints = new ArrayList<>();
		for (String line : block.lines()) {
			if (block.language().equals("bash") && !line.isBlank()) {
				check(block, line.strip(), complaints);
			}
			else if (line.startsWith("$ ")) {
				check(block, line.substring(2).strip(), complaints);
			}
		}
		return complaints;
	}

	private void check(CodeBlock block, String line, List<String> complaints) {
		String command = ASSIGNMENT.matcher(line).replaceFirst("");
		String program = command.split("\\s", 2)[0];
		switch (program) {
			case "mvn", "./gradlew" -> checkBuild(command, complaints);
			case "curl" -> {
				if (!block.file().endsWith("README.md")) {
					complaints.add("Only the README's are run: " + command);
				}
			}
			default -> {
				if (!COMMON.contains(program)) {
					complaints.add("Nothing checks " + command);
				}
			}
		}
	}

	private void checkBuild(String command, List<String> complaints) {
		Matcher modules = MODULES.matcher(command);
		while (modules.find()) {
			for (String module : modules.group(1).split(",", -1)) {
				requireModule(module, complaints);
			}
		}
		Matcher projects = PROJECT.matcher(command);
		while (projects.find()) {
			requireModule(projects.group(1), complaints);
		}
		Matcher tests = TESTS.matcher(command);
		while (tests.find()) {
			for (String test : tests.group(1).split(",", -1)) {
				String name = test.replaceFirst("#.*", "").replaceFirst(".*\\.", "");
				Pattern pattern = Pattern.compile(name.replace("*", ".*"));
				if (this.classes.stream().noneMatch((type) -> pattern.matcher(type).matches())) {
					complaints.add("There is no test " + name);
				}
			}
		}
	}

	private void requireModule(String module, List<String> complaints) {
		if (!Files.exists(this.root.resolve(module).resolve("pom.xml"))) {
			complaints.add("There is no module " + module);
		}
	}

}
