package dev.idempotency.build;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import com.sun.net.httpserver.HttpServer;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code gradlew} with a stand-in for Gradle, served from this machine.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "gradlew is a shell script")
class GradlewTests {

	private final byte[] distribution = distribution();

	private final AtomicInteger downloads = new AtomicInteger();

	private final HttpServer server;

	private final Path project;

	private final Path userHome;

	GradlewTests(@TempDir Path folder) throws IOException {
		this.project = folder.resolve("a project");
		this.userHome = folder.resolve("user home");
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
	}

	@BeforeEach
	void prepare() throws Exception {
		this.server.createContext("/gradle-9.1.0-bin.zip", (exchange) -> {
			this.downloads.incrementAndGet();
			exchange.sendResponseHeaders(200, this.distribution.length);
			exchange.getResponseBody().write(this.distribution);
			exchange.close();
		});
		this.server.start();
		Files.createDirectories(this.project.resolve("gradle/wrapper"));
		Files.copy(Path.of("../gradlew"), this.project.resolve("gradlew"));
		configure("/gradle-9.1.0-bin.zip", sha256(this.distribution));
	}

	private void configure(String path, String checksum) throws IOException {
		String url = "http\\://localhost\\:" + this.server.getAddress().getPort() + path;
		String settings = Files.readString(Path.of("../gradle/wrapper/gradle-wrapper.properties"))
			.replaceFirst("distributionUrl=.*", "distributionUrl=" + url.replace("\\", "\\\\"))
			.replaceFirst("distributionSha256Sum=.*", "distributionSha256Sum=" + checksum);
		Files.writeString(this.project.resolve("gradle/wrapper/gradle-wrapper.properties"), settings);
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
	}

	@Test
	void fetchesGradleOnceAndPassesArgumentsAndExitCodeOn() throws Exception {
		Run first = gradlew("build", "two words", "*", "$HOME");
		assertThat(first.exitCode).isEqualTo(7);
		assertThat(first.output).contains("Downloading http://localhost").contains("[build][two words][*][$HOME]");
		Run second = gradlew("help");
		assertThat(second.output).contains("[help]").doesNotContain("Downloading");
		assertThat(this.downloads).hasValue(1);
	}

	@Test
	void refusesAnArchiveWithAnotherChecksum() throws Exception {
		configure("/gradle-9.1.0-bin.zip", "0".repeat(64));
		Run run = gradlew("build");
		assertThat(run.exitCode).isEqualTo(1);
		assertThat(run.output).contains("SHA-256 of the downloaded gradle-9.1.0-bin.zip is wrong",
				"expected " + "0".repeat(64), "actual   " + sha256(this.distribution));
		assertThat(leftovers()).isEmpty();
	}

	@Test
	void saysWhereToUnpackByHandWhenThereIsNothingToFetch() throws Exception {
		configure("/elsewhere/gradle-9.1.0-bin.zip", sha256(this.distribution));
		Run run = gradlew("build");
		assertThat(run.exitCode).isEqualTo(1);
		assertThat(run.output).contains("cannot download", "Without a network, unpack",
				sha256(this.distribution) + "/gradle-9.1.0");
		assertThat(leftovers()).isEmpty();
	}

	@Test
	void refusesToRunWithoutAChecksum() throws Exception {
		configure("/gradle-9.1.0-bin.zip", "");
		Run run = gradlew("build");
		assertThat(run.exitCode).isEqualTo(1);
		assertThat(run.output).contains("no distributionSha256Sum");
		assertThat(this.downloads).hasValue(0);
	}

	@Test
	void installsOnceWhenStartedSixTimesAtOnce() throws Exception {
		List<Run> runs = Race.run(6, () -> gradlew("build"));
		assertThat(runs).allSatisfy((run) -> assertThat(run.output).contains("[build]"));
		assertThat(leftovers()).isEmpty();
	}

	@Test
	void removesWhatAKilledDownloadHasLeft() throws Exception {
		Path store = this.userHome.resolve("wrapper/dists/gradle-9.1.0-bin");
		Path left = Files.createDirectories(store.resolve("tmp.abcdef"));
		Files.writeString(left.resolve("gradle-9.1.0-bin.zip"), "half");
		Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofDays(3))));
		Path recent = Files.createDirectories(store.resolve("tmp.ghijkl"));
		assertThat(gradlew("build").output).contains("[build]");
		assertThat(leftovers()).containsExactly(recent);
	}

	@Test
	void installsInAFolderThatIsRelative() throws Exception {
		Path here = Path.of("").toAbsolutePath();
		Run run = gradlew(here.relativize(this.userHome.toAbsolutePath()).toString(), List.of("build"));
		assertThat(run.output).contains("[build]");
		assertThat(leftovers()).isEmpty();
	}

	@Test
	void saysHowToChangeTheRelease() throws Exception {
		Run run = gradlew("wrapper", "--gradle-version", "9.9");
		assertThat(run.exitCode).isEqualTo(1);
		assertThat(run.output).contains("change distributionUrl");
	}

	/**
	 * Temporary folders that should be gone.
	 */
	private List<Path> leftovers() throws IOException {
		try (Stream<Path> files = Files.walk(this.userHome)) {
			return files.filter((file) -> file.getFileName().toString().startsWith("tmp.")).toList();
		}
	}

	private Run gradlew(String... arguments) throws Exception {
		return gradlew(this.userHome.toString(), List.of(arguments));
	}

	private Run gradlew(String userHome, List<String> arguments) throws Exception {
		List<String> command = new ArrayList<>(
				List.of("sh", this.project.resolve("gradlew").toAbsolutePath().toString()));
		command.addAll(arguments);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
		builder.environment().put("GRADLE_USER_HOME", userHome);
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment().put("no_proxy", "localhost");
		Process process = builder.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
		return new Run(process.exitValue(), output);
	}

	/**
	 * A zip like Gradle's, whose gradle prints its arguments and exits with 7.
	 */
	private static byte[] distribution() {
		try (ByteArrayOutputStream bytes = new ByteArrayOutputStream()) {
			try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
				zip.putNextEntry(new ZipEntry("gradle-9.1.0/bin/gradle"));
				zip.write("#!/bin/sh\nprintf '[%s]' \"$@\"\nexit 7\n".getBytes(StandardCharsets.UTF_8));
				zip.closeEntry();
			}
			return bytes.toByteArray();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String sha256(byte[] bytes) throws Exception {
		return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
	}

	private record Run(int exitCode, String output) {
	}

}
