package dev.idempotency.torture;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.idempotency.fixtures.LongRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes that are shut down (SIGTERM) and started again, one after the other, as a
 * deployment does it, while clients have work done that takes several leases. Whoever
 * gets no answer asks the other process for the same.
 */
@Tag("slow")
abstract class RollingRestartContract {

	private static final List<String> PATHS = List.of("/task", "/call", "/handle");

	private static final int CLIENTS = 9;

	/**
	 * One and a half leases.
	 */
	private static final int MILLIS = 3000;

	/**
	 * Longer than a web server waits for its requests, by more than a lease.
	 */
	private static final int LONGER = 7000;

	@TempDir
	private Path folder;

	private final AtomicReferenceArray<Instance> instances = new AtomicReferenceArray<>(2);

	private final AtomicInteger keys = new AtomicInteger();

	private volatile boolean over;

	RollingRestartContract() {
	}

	abstract List<String> store();

	@Test
	void runsNothingASecondTime() throws IOException {
		int rounds = LongRun.choose(1, 20);
		List<String> settings = new ArrayList<>(store());
		settings.addAll(List.of("--spring.task.execution.pool.core-size=64",
				"--spring.task.execution.shutdown.await-termination=true",
				"--spring.task.execution.shutdown.await-termination-period=60s"));
		ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
		try {
			IntStream.range(0, 2).forEach((i) -> this.instances.set(i, Instance.launch(this.folder, settings)));
			IntStream.range(0, 2).forEach((i) -> this.instances.get(i).ready());
			List<CompletableFuture<Void>> work = IntStream.range(0, CLIENTS)
				.mapToObj((i) -> CompletableFuture.runAsync(() -> work(PATHS.get(i % PATHS.size())), clients))
				.toList();
			for (int restart = 0; restart < 2 * rounds; restart++) {
				Instance old = this.instances.get(restart % 2);
				List<String> tasks = beginTasks(old, restart);
				CompletableFuture<Void> asking = CompletableFuture
					.runAsync(() -> tasks.forEach((key) -> untilDone("/task", key, LONGER)));
				old.stop();
				if (restart < 2 * rounds - 1) {
					this.instances.set(restart % 2, Instance.launch(this.folder, settings).ready());
				}
				asking.join();
			}
			this.over = true;
			work.forEach(CompletableFuture::join);
		}
		finally {
			this.over = true;
			clients.shutdownNow();
			IntStream.range(0, 2).forEach((i) -> this.instances.get(i).close());
		}
		Map<String, List<String>> runs = Files.readAllLines(Instance.journal(this.folder))
			.stream()
			.collect(Collectors.groupingBy((line) -> line.substring(0, line.indexOf(' '))));
		assertThat(runs).hasSize(this.keys.get());
		assertThat(runs.values()).filteredOn((lines) -> lines.size() != 1)
			.as("%d keys, run more than once", this.keys.get())
			.isEmpty();
	}

	/**
	 * What a process has begun when it is told to end.
	 */
	private List<String> beginTasks(Instance instance, int restart) throws IOException {
		List<String> begun = IntStream.range(0, 4).mapToObj("longer-%d-%%d".formatted(restart)::formatted).toList();
		for (String key : begun) {
			this.keys.incrementAndGet();
			instance.post("/task?millis=" + LONGER, key);
		}
		return begun;
	}

	/**
	 * Has one thing done after the other.
	 */
	private void work(String path) {
		while (!this.over) {
			untilDone(path, "%s-%d".formatted(path.substring(1), this.keys.getAndIncrement()), MILLIS);
		}
	}

	private void untilDone(String path, String key, int millis) {
		while (!isDone("%s?millis=%d".formatted(path, millis), key)) {
			Pause.millis(50);
		}
	}

	private boolean isDone(String path, String key) {
		Instance either = this.instances.get(ThreadLocalRandom.current().nextInt(2));
		try {
			HttpResponse<String> answer = either.post(path, key);
			assertThat(answer.statusCode()).as(answer.body()).isIn(200, 409, 503);
			return answer.statusCode() == 200;
		}
		catch (IOException ex) {
			// It is shutting down, or gone
			return false;
		}
	}

}
