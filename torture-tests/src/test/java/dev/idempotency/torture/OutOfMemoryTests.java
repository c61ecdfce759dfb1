package dev.idempotency.torture;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.idempotency.Idempotent;
import dev.idempotency.core.IdempotencyEngine;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A JVM that has no memory left when the answer of a transactional handler, of 3.5 MB, is
 * to be stored. Its server has one thread.
 */
@Tag("slow")
class OutOfMemoryTests {

	private static final int ANSWER = 3_500_000;

	private final HttpClient client = HttpClient.newHttpClient();

	@Test
	void undoesTheWorkAndServesTheNextRequestsAsBefore(@TempDir Path folder) throws Exception {
		try (BootProcess process = BootProcess.launch(Application.class, folder, List.of("-Xmx96m", "-XX:+UseSerialGC"),
				List.of("--server.tomcat.threads.max=1", "--server.tomcat.threads.min-spare=1",
						"--spring.datasource.url=jdbc:h2:mem:memory", "--idempotency.store=jdbc",
						"--idempotency.http.max-response-body=8MB"))) {
			process.ready();
			HttpResponse<byte[]> first = send(process, "POST", "/answer");
			assertThat(first.statusCode()).isEqualTo(500);
			for (int i = 1; i <= 3; i++) {
				assertThat(send(process, "POST", "/unrelated").statusCode()).isEqualTo(200);
				assertThat(state(process)).as(process.process().output())
					.isEqualTo("0 answers, %d unrelated, 0 keys, 0 leases".formatted(i));
			}
			HttpResponse<byte[]> second = send(process, "POST", "/answer");
			assertThat(second.statusCode()).isEqualTo(200);
			assertThat(second.body()).hasSize(ANSWER);
			assertThat(state(process)).isEqualTo("1 answers, 3 unrelated, 1 keys, 0 leases");
			assertThat(send(process, "POST", "/answer").body()).isEqualTo(second.body());
			assertThat(process.process().output()).contains("java.lang.OutOfMemoryError: Java heap space");
		}
	}

	private String state(BootProcess process) throws IOException, InterruptedException {
		return new String(send(process, "GET", "/state").body(), StandardCharsets.UTF_8);
	}

	private HttpResponse<byte[]> send(BootProcess process, String method, String path)
			throws IOException, InterruptedException {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:%d%s".formatted(process.port(), path)))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.header("Idempotency-Key", "one")
			.timeout(Duration.ofSeconds(60))
			.build();
		return this.client.send(request, HttpResponse.BodyHandlers.ofByteArray());
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ PortFile.class, Works.class, Handlers.class })
	static class Application {

		public static void main(String[] args) {
			SpringApplication.run(Application.class, args);
		}

	}

	@Service
	static class Works {

		private final JdbcTemplate jdbc;

		Works(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("create table work (text varchar(20))");
		}

		@Transactional
		void enter(String text) {
			this.jdbc.update("insert into work (text) values (?)", text);
		}

	}

	@RestController
	static class Handlers {

		private static final int PIECE = 64 * 1024;

		private final Works works;

		private final JdbcTemplate jdbc;

		private final IdempotencyEngine engine;

		/**
		 * What fills the memory until the next request.
		 */
		private List<byte[]> ballast = new ArrayList<>();

		private boolean filled;

		Handlers(Works works, JdbcTemplate jdbc, IdempotencyEngine engine) {
			this.works = works;
			this.jdbc = jdbc;
			this.engine = engine;
		}

		@PostMapping("/answer")
		@Idempotent(transactional = true)
		void answer(HttpServletResponse response) throws IOException {
			this.works.enter("answer");
			byte[] bytes = new byte[ANSWER];
			new Random(1).nextBytes(bytes);
			response.getOutputStream().write(bytes);
			if (!this.filled) {
				this.filled = true;
				fill();
			}
		}

		/**
		 * Leaves enough for everything but another copy of the answer.
		 */
		private void fill() {
			List<byte[]> pieces = new ArrayList<>(4096);
			try {
				while (pieces.size() < 4096) {
					pieces.add(new byte[PIECE]);
				}
			}
			catch (OutOfMemoryError ex) {
				pieces.subList(pieces.size() - 32, pieces.size()).clear();
			}
			this.ballast = pieces;
		}

		@PostMapping("/unrelated")
		String unrelated() {
			int pieces = this.ballast.size();
			this.ballast = List.of();
			this.works.enter("unrelated");
			return "entered without %d pieces".formatted(pieces);
		}

		@GetMapping("/state")
		String state() {
			return "%d answers, %d unrelated, %d keys, %d leases".formatted(count("work where text = 'answer'"),
					count("work where text = 'unrelated'"), count("idempotency_record"),
					this.engine.executionsInProgress());
		}

		private @Nullable Integer count(String what) {
			return this.jdbc.queryForObject("select count(*) from " + what, Integer.class);
		}

	}

}
