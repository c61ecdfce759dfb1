package dev.idempotency.torture;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.idempotency.fixtures.LongRun;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes that share a store get the same keys at the same time.
 */
@Tag("slow")
abstract class TwoInstancesContract {

	private static final int CLIENTS = 8;

	private static final int TOGETHER = 50;

	@TempDir
	private Path folder;

	TwoInstancesContract() {
	}

	abstract List<String> store();

	@Test
	void runsEachKeyOnceAndGivesEveryDuplicateTheSameBytes() throws IOException {
		int count = LongRun.choose(500, 20_000);
		List<String> keys = IntStream.range(0, count).mapToObj((i) -> "key-" + i).toList();
		Map<String, Set<String>> answers = new ConcurrentHashMap<>();
		AtomicInteger requests = new AtomicInteger();
		List<String> store = store();
		try (Instance one = Instance.launch(this.folder, store); Instance other = Instance.launch(this.folder, store)) {
			List<Instance> both = List.of(one.ready(), other.ready());
			for (int i = 0; i < count; i += TOGETHER) {
				List<String> some = keys.subList(i, Math.min(i + TOGETHER, count));
				AtomicInteger client = new AtomicInteger();
				Race.run(CLIENTS, () -> {
					int number = client.getAndIncrement();
					// Two clients of each instance walk through the keys side by side,
					// and
					// meet
					for (String key : shuffled(some, number / 4)) {
						HttpResponse<String> answer = done(both.get(number % 2), key);
						requests.incrementAndGet();
						assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
						answers.computeIfAbsent(key, (k) -> ConcurrentHashMap.newKeySet()).add(answer.body());
					}
					return true;
				});
			}
		}
		assertThat(requests).hasValue(CLIENTS * count);
		assertThat(answers).hasSize(count);
		assertThat(answers.values()).filteredOn((bodies) -> bodies.size() != 1).isEmpty();
		Map<String, Long> runs = Files.readAllLines(Instance.journal(this.folder))
			.stream()
			.collect(Collectors.groupingBy((line) -> line, Collectors.counting()));
		assertThat(runs).hasSize(count);
		assertThat(runs.keySet()).allMatch((line) -> line.endsWith(" 1"));
		assertThat(runs.values()).containsOnly(1L);
	}

	private static List<String> shuffled(List<String> keys, int seed) {
		List<String> copy = new ArrayList<>(keys);
		Collections.shuffle(copy, new Random(seed));
		return copy;
	}

	private static HttpResponse<String> done(Instance instance, String key) {
		return Unchecked.get(() -> instance.postUntilDone("/run", key));
	}

}
