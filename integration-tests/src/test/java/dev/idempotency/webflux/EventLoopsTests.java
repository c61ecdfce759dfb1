package dev.idempotency.webflux;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.idempotency.web.TestServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Whoever blocks an event loop or loses a buffer is found out.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventLoopsTests {

	private TestServer server;

	@TempDir
	private Path folder;

	@BeforeAll
	void start() {
		this.server = TestServer.startReactive(List.of(Application.class));
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	@Test
	void findsNothingWhereNothingIsWrong() {
		assertThat(this.server.post("/quick").send().text()).isEqualTo("quick");
		EventLoops.check();
	}

	@Test
	void findsAHandlerThatWaits() {
		this.server.post("/waits").send();
		assertThatThrownBy(EventLoops::check).isInstanceOf(AssertionError.class)
			.hasMessageContaining("have blocked an event loop")
			.hasMessageContaining("Application.lambda$await")
			.hasMessageContaining("on reactor-http-");
		EventLoops.check();
	}

	@Test
	void findsAHandlerThatReadsAFile() throws IOException {
		Path file = Files.writeString(this.folder.resolve("file"), "content");
		this.server.post("/reads").body("text/plain", file.toString()).send();
		assertThatThrownBy(EventLoops::check).isInstanceOf(AssertionError.class)
			.hasMessageContaining("Application.lambda$read");
	}

	@Test
	void findsABufferThatWasLost() {
		assertThat(this.server.post("/loses").send().text()).isEqualTo("lost");
		// The event loop may hold on to it for a moment
		Awaitility.await()
			.untilAsserted(() -> assertThatThrownBy(EventLoops::check).isInstanceOf(AssertionError.class)
				.hasMessageContaining("1 buffers were lost")
				.hasMessageContaining("Application.lose"));
		EventLoops.check();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Application {

		@PostMapping("/quick")
		Mono<String> quick() {
			return Mono.just("quick");
		}

		@PostMapping("/waits")
		Mono<Boolean> await() {
			return Mono.fromCallable(() -> new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS));
		}

		@PostMapping("/reads")
		Mono<Integer> read(@RequestBody String file) {
			return Mono.fromCallable(() -> {
				try (FileInputStream in = new FileInputStream(file)) {
					return in.read();
				}
			});
		}

		@PostMapping("/loses")
		String lose(ServerHttpResponse response) {
			DataBuffer buffer = response.bufferFactory().allocateBuffer(100);
			buffer.write(new byte[10]);
			return "lost";
		}

	}

}
