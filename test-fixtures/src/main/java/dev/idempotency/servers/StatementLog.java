package dev.idempotency.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.fixtures.Unchecked;
import org.awaitility.Awaitility;

/**
 * What a PostgreSQL says that it was asked.
 */
public final class StatementLog {

	/**
	 * What a connection does before it says that it waits for an answer is one
	 * transaction, whose number stands in front of each line.
	 */
	private static final Pattern STATEMENT = Pattern
		.compile("(?<transaction>\\S*),LOG: {2}(execute \\S+|statement): (?<text>.*)");

	private final Path folder = newFolder();

	private static Path newFolder() {
		return Unchecked.get(() -> {
			// Not one of JUnit's, which are there too late for a field
			return Files.createTempDirectory("postgres-log-",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwxrwx")));
		});
	}

	/**
	 * The settings of a server that logs into this.
	 */
	public Map<String, String> settings() {
		return Map.of("log_statement", "all", "logging_collector", "on", "log_directory", this.folder.toString(),
				"log_filename", "statements.log", "log_file_mode", "0644", "log_line_prefix", "%v,");
	}

	/**
	 * The round trips that some work makes outside of transactions, each with the first
	 * lines of its statements.
	 */
	public List<List<String>> roundTripsOf(Consumer<String> sql, Runnable work) throws IOException {
		String before = mark(sql);
		work.run();
		String after = mark(sql);
		String text = until(after);
		Map<String, List<String>> statements = new LinkedHashMap<>();
		Matcher matcher = STATEMENT.matcher(text.substring(text.indexOf(before), text.indexOf(after)));
		while (matcher.find()) {
			String statement = matcher.group("text");
			// A pool asks with an empty one whether a connection lives that has rested
			if (!statement.isEmpty() && !statement.startsWith("select '")) {
				statements.computeIfAbsent(matcher.group("transaction"), (transaction) -> new ArrayList<>())
					.add(statement);
			}
		}
		return List.copyOf(statements.values());
	}

	/**
	 * What it complains of, but for the refusal of whoever asked, while it started,
	 * whether it runs.
	 */
	public List<String> errors(Consumer<String> sql) throws IOException {
		return until(mark(sql)).lines()
			.filter((line) -> line.matches(".*(ERROR|FATAL|PANIC|WARNING): .*"))
			.filter((line) -> !line.endsWith("the database system is starting up"))
			.toList();
	}

	private static String mark(Consumer<String> sql) {
		String mark = "mark " + UUID.randomUUID();
		sql.accept("select '%s'".formatted(mark));
		return mark;
	}

	private String until(String mark) throws IOException {
		Path log = this.folder.resolve("statements.log");
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> Files.readString(log).contains(mark));
		return Files.readString(log);
	}

}
