package dev.idempotency.torture.ledger;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;

import dev.idempotency.servers.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class ShiftedClockTests {

	@TempDir
	private Path folder;

	@Test
	void letsAProcessLiveInTheFuture() {
		Duration shift = Duration.ofMinutes(17);
		List<String> options = List.of(new ClockAgent(this.folder).option(shift));
		try (JavaProcess process = JavaProcess.launch(TellsTheTime.class, options, this.folder.resolve("log"),
				List.of())) {
			assertThat(process.join()).as(process.output()).isZero();
			List<Instant> told = process.output()
				.lines()
				.map((line) -> Instant.ofEpochMilli(Long.parseLong(line)))
				.toList();
			Instant expected = Instant.now().plus(shift);
			assertThat(told).hasSize(5)
				.allSatisfy((time) -> assertThat(Duration.between(time, expected)).isBetween(Duration.ZERO,
						Duration.ofMinutes(5)));
		}
	}

	/**
	 * Asks in every way.
	 */
	static final class TellsTheTime {

		private TellsTheTime() {
		}

		@SuppressWarnings({ "JavaTimeDefaultTimeZone", "JavaUtilDate" })
		public static void main(String[] args) {
			System.out.println(System.currentTimeMillis());
			System.out.println(Instant.now().toEpochMilli());
			System.out.println(Clock.systemUTC().millis());
			System.out.println(Clock.systemDefaultZone().millis());
			System.out.println(new Date().getTime());
		}

	}

}
