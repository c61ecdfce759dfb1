package dev.idempotency.benchmarks.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.boot.SpringBootVersion;
import org.springframework.core.SpringVersion;

/**
 * Describes the machine on which figures were measured.
 */
final class Machine {

	private Machine() {
	}

	/**
	 * Returns the machine, versions and date.
	 * @param java the applications' runtime, or an empty text for our own
	 */
	static String describe(String java) {
		return "%s, on %d cores (%s), %s; applications on Java %s with G1 and 1 GB of heap, ".formatted(
				LocalDate.now(ZoneOffset.UTC), Runtime.getRuntime().availableProcessors(), processor(),
				System.getProperty("os.name") + " " + System.getProperty("os.version"), javaVersion(java))
				+ "Spring Boot %s, Spring Framework %s, Tomcat %s.%n".formatted(SpringBootVersion.getVersion(),
						SpringVersion.getVersion(), org.apache.catalina.util.ServerInfo.getServerNumber());
	}

	/**
	 * The feature number of a runtime, such as 17.
	 */
	static int javaFeature(String java) {
		return Runtime.Version.parse(javaVersion(java)).feature();
	}

	private static String javaVersion(String java) {
		if (java.isEmpty()) {
			return Runtime.version().toString();
		}
		try {
			Process process = new ProcessBuilder(java, "-XshowSettings:properties", "-version")
				.redirectErrorStream(true)
				.start();
			try (BufferedReader output = process.inputReader()) {
				List<String> lines = output.lines().toList();
				return lines.stream()
					.map(String::strip)
					.filter((line) -> line.startsWith("java.runtime.version = "))
					.map((line) -> line.substring(line.indexOf('=') + 2))
					.findFirst()
					.orElseThrow(() -> new IllegalStateException("%s does not print its version".formatted(java)));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String processor() {
		Path file = Path.of("/proc/cpuinfo");
		if (!Files.isReadable(file)) {
			return System.getProperty("os.arch");
		}
		try (Stream<String> lines = Files.lines(file)) {
			return lines.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.findFirst()
				.orElse(System.getProperty("os.arch"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
