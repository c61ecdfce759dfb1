package dev.idempotency.guides;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.idempotency.servers.Curl;
import dev.idempotency.servers.JavaProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whoever follows the README's quick start sees what it shows.
 */
@Tag("once")
@Tag("slow")
class QuickStartTests {

	private static final Path README = Path.of("../README.md");

	/**
	 * What {@code spring-boot-starter-webmvc} and our starter bring along, and nothing of
	 * what else tests have.
	 */
	private static final Pattern OF_A_NEW_PROJECT = Pattern.compile("[/\\\\](?:" + String.join("|", //
			"idempotency-(?:ai|autoconfigure|core|jdbc|redis|spring|spring-boot-starter|web)[/\\\\](?:target|build)[/\\\\].*",
			"idempotency-(?:ai|autoconfigure|core|jdbc|redis|spring|spring-boot-starter|web)-\\d[^/\\\\]*\\.jar",
			"spring-boot(?:-starter)?(?:-(?:autoconfigure|http-converter|jackson|logging|servlet|tomcat|tomcat-runtime"
					+ "|web-server|webmvc))?-\\d[^/\\\\]*\\.jar",
			"spring-(?:aop|beans|context|core|expression|web|webmvc)-\\d[^/\\\\]*\\.jar",
			"(?:caffeine|commons-logging|error_prone_annotations|jakarta\\.annotation-api|jspecify|snakeyaml"
					+ "|jul-to-slf4j|log4j-api|log4j-to-slf4j|logback-classic|logback-core|slf4j-api"
					+ "|micrometer-commons|micrometer-observation|tomcat-embed-\\w+)-\\d[^/\\\\]*\\.jar",
			"jackson-(?:annotations-2|core-3|databind-3)[^/\\\\]*\\.jar") + ")$");

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	@TempDir
	private Path folder;

	@Test
	void answersAsTheReadmeShows() throws IOException {
		Curl curl = Curl.installed();
		QuickStart quickStart = new QuickStart(README);
		try (JavaProcess application = start(quickStart)) {
			int port = portOf(application);
			assertThat(quickStart.transcripts()).hasSizeGreaterThanOrEqualTo(2).allSatisfy((transcript) -> {
				assertThat(transcript.command()).startsWith("curl ").contains(" localhost:8080/");
				List<String> answer = curl.run(transcript.command().replace("localhost:8080", "localhost:" + port));
				assertThat(transcript.differences(answer)).as("%s", transcript).isEmpty();
			});
			assertThat(application.output()).contains("Idempotency: store memory").doesNotContain("WARN", "ERROR");
		}
	}

	private JavaProcess start(QuickStart quickStart) throws IOException {
		List<String> libraries = JavaProcess.ownClassPath()
			.stream()
			.filter((path) -> OF_A_NEW_PROJECT.matcher(path).find())
			.toList();
		List<String> project = quickStart.build(this.folder.resolve("demo"), libraries);
		return JavaProcess.launch(QuickStart.APPLICATION_CLASS, concat(project, libraries),
				this.folder.resolve("demo.log"), List.of("--server.port=0"));
	}

	private static List<String> concat(List<String> first, List<String> then) {
		return Stream.concat(first.stream(), then.stream()).toList();
	}

	private static int portOf(JavaProcess application) {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
			application.requireRunning();
			Matcher port = PORT.matcher(application.output());
			return port.find() ? Integer.parseInt(port.group(1)) : 0;
		}, (port) -> port > 0);
	}

	@Test
	void noticesWhenAnAnswerIsNotTheOneThatIsShown() {
		Transcript shown = new Transcript("curl",
				List.of("HTTP/1.1 201", "Idempotency-Effect: created", "…", "", "{\"charge\":1}"));
		List<String> real = List.of("HTTP/1.1 201 ", "Date: today", "Idempotency-Effect: created", "",
				"{\"charge\":1}");
		assertThat(shown.differences(real)).isEmpty();
		assertThat(shown.differences(List.of("HTTP/1.1 500", "Date: today", "", "{\"charge\":2}"))).containsExactly(
				"begins with HTTP/1.1 500", "has no HTTP/1.1 201", "has no Idempotency-Effect: created",
				"ends with [{\"charge\":2}]");
		assertThat(new Transcript("curl", List.of("HTTP/1.1 201", "", "{\"charge\":1}")).differences(real))
			.containsExactly("also has Date: today", "also has Idempotency-Effect: created");
	}

}
