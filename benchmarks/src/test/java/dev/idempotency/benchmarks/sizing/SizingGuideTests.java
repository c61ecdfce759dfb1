package dev.idempotency.benchmarks.sizing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The guide shows what the calculator prints, and that is close to what was measured.
 */
class SizingGuideTests {

	private static final Path GUIDE = Path.of("../docs/sizing.md");

	private static final Pattern AFTER_A_CHECKPOINT = Pattern.compile("WAL of ([\\d,]+) requests after a checkpoint");

	private static final Pattern CLUSTER = Pattern.compile("Redis Cluster of (\\d+), .*");

	@Test
	void showsCalculatedSizesBesideMeasuredOnes() throws IOException {
		List<List<String>> rows = Files.readAllLines(GUIDE)
			.stream()
			.filter((line) -> line.matches("\\| (Redis|PostgreSQL).* %? ?\\|"))
			.map((line) -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
			.filter((cells) -> cells.size() == 9)
			.toList();
		assertThat(rows).hasSizeGreaterThan(10).allSatisfy((cells) -> {
			double measured = number(cells.get(5));
			double calculated = calculate(cells.get(1), cells.get(2), (long) number(cells.get(3)),
					(int) number(cells.get(4)));
			double deviation = (calculated / measured - 1) * 100;
			assertThat(cells.get(6)).isEqualTo(Report.number(calculated));
			assertThat(cells.get(7)).isEqualTo(Report.percent(deviation));
			assertThat(deviation).isBetween(-10.0, 10.0);
		});
		assertThat(rows).extracting((cells) -> cells.get(1).charAt(0) + cells.get(3))
			.contains("R1,000,000", "R10,000,000", "P1,000,000", "P10,000,000");
	}

	private static double number(String text) {
		return Double.parseDouble(text.replace(",", ""));
	}

	private static double calculate(String store, String what, long records, int answer) {
		Sizing.Allocator allocator = store.endsWith("jemalloc") ? Sizing.Allocator.JEMALLOC : Sizing.Allocator.PLAIN;
		Matcher cluster = CLUSTER.matcher(store);
		if (cluster.matches()) {
			return Sizing.clusterMemory(Integer.parseInt(cluster.group(1)), records, answer, allocator);
		}
		Matcher requests = AFTER_A_CHECKPOINT.matcher(what);
		if (requests.matches()) {
			return Sizing.walAfterACheckpoint(records, number(requests.group(1)), answer);
		}
		return switch (what) {
			case "memory" -> Sizing.redisMemory(records, answer, allocator);
			case "table" -> records * Sizing.heapOfARecord(answer);
			case "TOAST" -> records * Sizing.toastOfARecord(answer);
			case "index of ids" -> records * Sizing.idIndexOfARecord();
			case "index of expiry" -> records * Sizing.expiryIndexOfARecord();
			case "disk" -> Sizing.postgresDisk(records, answer);
			case "WAL of a first request" -> Sizing.walOfARequest(answer);
			case "WAL of a vacuum" -> Sizing.walOfAVacuum(records, answer);
			case "WAL to purge a record" -> Sizing.walOfAPurge(answer);
			default -> throw new IllegalArgumentException("Nothing calculates " + what);
		};
	}

	@Test
	void showsWhatTheCalculatorPrints() throws IOException {
		String command = "$ java benchmarks/src/main/java/dev/idempotency/benchmarks/sizing/Sizing.java 1000 24h 200\n";
		assertThat(Files.readString(GUIDE)).contains(command + Sizing.print(1000, Duration.ofHours(24), 200) + "```");
		assertThat(Path.of("src/main/java/dev/idempotency/benchmarks/sizing/Sizing.java")).exists();
	}

}
