package dev.idempotency.guides;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The project that the README's quick start describes: a new one of Spring Boot, into
 * which its blocks are copied word for word.
 */
final class QuickStart {

	private static final String HEADING = "## Quick start";

	private static final Pattern FILE = Pattern.compile("`(src/main/[^`]+)`");

	/**
	 * The class that a new project of Spring Boot comes with.
	 */
	private static final List<String> APPLICATION = List.of("package com.example.demo;", "",
			"import org.springframework.boot.SpringApplication;",
			"import org.springframework.boot.autoconfigure.SpringBootApplication;", "", "@SpringBootApplication",
			"public class DemoApplication {", "", "	public static void main(String[] args) {",
			"		SpringApplication.run(DemoApplication.class, args);", "	}", "", "}");

	static final String APPLICATION_CLASS = "com.example.demo.DemoApplication";

	private final Path readme;

	private final List<String> lines;

	private final int begin;

	private final int end;

	QuickStart(Path readme) throws IOException {
		this.readme = readme;
		this.lines = Files.readAllLines(readme);
		this.begin = this.lines.indexOf(HEADING);
		int next = this.begin + 1;
		while (!this.lines.get(next).startsWith("## ")) {
			next++;
		}
		this.end = next;
	}

	private List<CodeBlock> blocks(String language) {
		return CodeBlocks.in(this.readme)
			.stream()
			.filter((block) -> block.line() > this.begin && block.line() <= this.end)
			.filter((block) -> block.language().equals(language))
			.toList();
	}

	/**
	 * What a client does, and is answered.
	 */
	List<Transcript> transcripts() {
		return blocks("console").stream().flatMap((block) -> Transcript.in(block.lines()).stream()).toList();
	}

	/**
	 * Writes the project into an empty folder and compiles it.
	 * @return what is to be put on its class path
	 */
	List<String> build(Path project, List<String> classPath) throws IOException {
		write(project.resolve("src/main/java/com/example/demo/DemoApplication.java"), APPLICATION);
		for (CodeBlock block : Stream.of("java", "yaml").flatMap((language) -> blocks(language).stream()).toList()) {
			write(project.resolve(fileOf(block)), block.lines());
		}
		Path classes = Files.createDirectories(project.resolve("target/classes"));
		compile(project.resolve("src/main/java"), classes, classPath);
		return List.of(classes.toString(), project.resolve("src/main/resources").toString());
	}

	/**
	 * The file that was named last before a block.
	 */
	private String fileOf(CodeBlock block) {
		for (int i = block.line() - 1; i > this.begin; i--) {
			Matcher file = FILE.matcher(this.lines.get(i));
			if (file.find()) {
				return file.group(1);
			}
		}
		throw new IllegalStateException("Nothing says which file this is: " + block);
	}

	private static void write(Path file, List<String> lines) throws IOException {
		Files.createDirectories(file.resolveSibling("."));
		Files.write(file, lines);
	}

	private static void compile(Path sources, Path classes, List<String> classPath) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<Path> files = new ArrayList<>();
		try (Stream<Path> all = Files.walk(sources)) {
			all.filter((file) -> file.toString().endsWith(".java")).forEach(files::add);
		}
		StringWriter said = new StringWriter();
		try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
			List<String> options = List.of("-parameters", "-Xlint:all,-processing", "-Werror", "-proc:none", "-d",
					classes.toString(), "-cp", String.join(File.pathSeparator, classPath));
			if (!compiler.getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
				.call()) {
				throw new IllegalStateException("The quick start does not compile:\n" + said);
			}
		}
	}

}
