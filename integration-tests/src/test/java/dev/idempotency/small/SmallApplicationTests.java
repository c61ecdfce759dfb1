package dev.idempotency.small;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.idempotency.servers.JavaProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Applications with as little on their class path as their dependencies bring: what is
 * optional for the library is not there.
 */
@Tag("slow")
class SmallApplicationTests {

	private static final Pattern LIBRARY = Pattern
		.compile("[/\\\\]idempotency-(core|jdbc|redis|spring|web|ai|autoconfigure)[/\\\\](target|build)[/\\\\]");

	private static final String STARTER = "spring-(core|beans|context|aop|expression)|spring-boot(-autoconfigure)?"
			+ "|micrometer-(commons|observation)|jspecify|caffeine|slf4j-api|logback-(classic|core)|jul-to-slf4j"
			+ "|log4j-(api|to-slf4j)|commons-logging|jakarta.annotation-api|snakeyaml|jackson-(core|databind|annotations)";

	private static final String MVC = STARTER + "|spring-(web|webmvc)|tomcat-embed-(core|el|websocket)"
			+ "|spring-boot-(webmvc|servlet|web-server|tomcat|http-converter|jackson)";

	private static final String WEBFLUX = STARTER + "|spring-(web|webflux)|reactor-core|reactive-streams"
			+ "|reactor-netty-(core|http)|netty-.*"
			+ "|spring-boot-(webflux|web-server|reactor|reactor-netty|netty|http-codec|jackson)";

	private static final String JDBC = "|spring-(jdbc|tx)|spring-boot-(jdbc|sql|transaction|persistence)|HikariCP|h2";

	private static final String ACTUATOR = "|micrometer-(core|jakarta9)|HdrHistogram"
			+ "|spring-boot-(actuator|actuator-autoconfigure|health|micrometer-metrics|micrometer-observation)";

	@TempDir
	private Path folder;

	@ParameterizedTest
	@EnumSource
	void worksWithNothingElse(ClassPath given) throws IOException {
		try (JavaProcess process = launch(given)) {
			String port = awaitLine(process, SmallApplication.PORT);
			assertThat(awaitLine(process, SmallApplication.METHODS)).isEqualTo("11233");
			assertThat(port.equals("null")).isEqualTo(given == ClassPath.STARTER_ALONE);
			if (given != ClassPath.STARTER_ALONE) {
				assertThatRetriesAreReplayed(port);
			}
			assertThat(process.output()).contains("store " + given.store)
				.doesNotContain("NoClassDefFoundError", "ClassNotFoundException");
		}
	}

	private JavaProcess launch(ClassPath given) throws IOException {
		List<String> classPath = new ArrayList<>(List.of(application().toString()));
		JavaProcess.ownClassPath().stream().filter(given::has).forEach(classPath::add);
		return JavaProcess.launch(SmallApplication.class.getName(), classPath, this.folder.resolve("log"),
				List.of("--server.port=0", "--spring.application.name=small", "--spring.main.banner-mode=off"));
	}

	/**
	 * The classes of the application, without the other classes of the tests.
	 */
	private Path application() throws IOException {
		Path classes = Path
			.of(URI.create(SmallApplication.class.getProtectionDomain().getCodeSource().getLocation().toString()))
			.resolve("dev/idempotency/small");
		Path copy = this.folder.resolve("classes/dev/idempotency/small");
		Files.createDirectories(copy);
		try (Stream<Path> files = Files.list(classes)) {
			for (Path file : files.filter((it) -> !it.getFileName().toString().contains("Tests")).toList()) {
				Files.copy(file, copy.resolve(file.getFileName()));
			}
		}
		return this.folder.resolve("classes");
	}

	private static String awaitLine(JavaProcess process, String start) {
		await().atMost(Duration.ofMinutes(1)).until(() -> {
			boolean said = process.output().contains("\n" + start);
			if (!said) {
				process.requireRunning();
			}
			return said;
		});
		return process.output()
			.lines()
			.filter((line) -> line.startsWith(start))
			.map((line) -> line.substring(start.length()))
			.findFirst()
			.orElseThrow();
	}

	private static void assertThatRetriesAreReplayed(String port) {
		HttpClient client = HttpClient.newHttpClient();
		for (String path : List.of("/orders", "/orders/later")) {
			HttpResponse<String> first = post(client, port, path, path);
			assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
			assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
			HttpResponse<String> second = post(client, port, path, path);
			assertThat(second.headers().firstValue("Idempotent-Replayed")).contains("true");
			assertThat(second.body()).isEqualTo(first.body());
			assertThat(post(client, port, path, null).statusCode()).isEqualTo(400);
		}
	}

	private static HttpResponse<String> post(HttpClient client, String port, String path, @Nullable String key) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
			.POST(BodyPublishers.ofString("tea"));
		if (key != null) {
			request.header("Idempotency-Key", "\"" + key + "\"");
		}
		return client.sendAsync(request.build(), BodyHandlers.ofString()).join();
	}

	/**
	 * What the dependencies of an application bring.
	 */
	enum ClassPath {

		STARTER_ALONE(STARTER, "memory"),

		MVC_ALONE(MVC, "memory"),

		MVC_WITH_JDBC(MVC + JDBC, "jdbc"),

		MVC_WITH_ACTUATOR(MVC + ACTUATOR, "memory"),

		WEBFLUX_ALONE(WEBFLUX, "memory"),

		WEBFLUX_WITH_JDBC(WEBFLUX + JDBC, "jdbc"),

		WEBFLUX_WITH_ACTUATOR(WEBFLUX + ACTUATOR, "memory");

		private final Pattern jars;

		private final String store;

		ClassPath(String jars, String store) {
			this.store = store;
			this.jars = Pattern.compile("(" + jars + ")-\\d.*\\.jar");
		}

		boolean has(String path) {
			return LIBRARY.matcher(path).find() || this.jars.matcher(Path.of(path).getFileName().toString()).matches();
		}

	}

}
