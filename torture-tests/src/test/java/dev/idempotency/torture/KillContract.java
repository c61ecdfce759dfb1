package dev.idempotency.torture;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import dev.idempotency.fixtures.LongRun;
import dev.idempotency.fixtures.Unchecked;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Processes that are killed in the middle of handlers.
 */
@Tag("slow")
abstract class KillContract {

	private static final int HANDLERS = 8;

	@TempDir
	private Path folder;

	KillContract() {
	}

	abstract List<String> store();

	/**
	 * The application whose process is killed.
	 */
	Class<?> application() {
		return TortureApplication.class;
	}

	@Test
	void runsEachKeyAgainAsItsSecondAttempt() throws IOException {
		int rounds = LongRun.choose(2, 100);
		List<String> settings = store();
		ExecutorService clients = Executors.newFixedThreadPool(HANDLERS);
		Instance instance = Instance.launch(application(), this.folder, settings);
		try {
			for (int round = 0; round < rounds; round++) {
				String name = "round-%d-".formatted(round);
				List<String> keys = IntStream.range(0, HANDLERS).mapToObj((i) -> name + i).toList();
				instance.ready();
				Instance doomed = instance;
				keys.forEach((key) -> clients.execute(() -> postInVain(doomed, key)));
				Awaitility.await()
					.atMost(Duration.ofSeconds(60))
					.pollInterval(Duration.ofMillis(10))
					.until(() -> runs(name).size() == HANDLERS);
				doomed.kill();
				instance = Instance.launch(application(), this.folder, settings).ready();
				for (CompletableFuture<HttpResponse<String>> answer : retry(instance, keys, clients)) {
					assertThat(answer.join().statusCode()).isEqualTo(200);
					assertThat(answer.join().body()).contains("\"attempt\":2");
				}
				assertThat(runs(name)).containsExactlyInAnyOrderElementsOf(
						keys.stream().flatMap((key) -> List.of(key + " 1", key + " 2").stream()).toList());
			}
		}
		finally {
			instance.close();
			clients.shutdownNow();
		}
	}

	private static void postInVain(Instance doomed, String key) {
		assertThatIOException().isThrownBy(() -> doomed.post("/run?millis=60000", key));
	}

	private static List<CompletableFuture<HttpResponse<String>>> retry(Instance instance, List<String> keys,
			ExecutorService clients) {
		List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
		for (String key : keys) {
			answers.add(CompletableFuture.supplyAsync(() -> {
				return Unchecked.get(() -> instance.postUntilDone("/run?millis=60000", key));
			}, clients));
		}
		return answers;
	}

	private List<String> runs(String name) throws IOException {
		Path journal = Instance.journal(this.folder);
		return Files.exists(journal)
				? Files.readAllLines(journal).stream().filter((line) -> line.startsWith(name)).toList() : List.of();
	}

}
