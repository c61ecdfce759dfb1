package dev.idempotency.benchmarks.sizing;

import dev.idempotency.benchmarks.Servers;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calculated sizes are those of real servers. They hold few records here, where pages
 * that are not full count; docs/sizing.md has millions.
 */
class SizingTests {

	private static final int RECORDS = 20_000;

	private static final int ANSWER = 200;

	private static final Percentage CLOSE = Percentage.withPercentage(25);

	@Test
	void calculatesTheMemoryOfARedis() {
		try (Servers.Redis server = Servers.startRedis(); RedisSizes sizes = new RedisSizes(server, ANSWER)) {
			sizes.filling().first(RECORDS);
			assertThat(sizes.records()).isEqualTo(RECORDS);
			assertThat((double) sizes.memory())
				.isCloseTo(Sizing.redisMemory(RECORDS, ANSWER, sizes.probe().allocator()), CLOSE);
		}
	}

	/**
	 * What the server makes itself, to fill it sooner, must not be smaller or larger.
	 */
	@Test
	void copiesRecordsOfARedisAsTheyAre() {
		try (Servers.Redis server = Servers.startRedis(); RedisSizes sizes = new RedisSizes(server, ANSWER)) {
			sizes.filling().first(RECORDS);
			double made = sizes.memory();
			sizes.copy(RECORDS);
			assertThat(sizes.records()).isEqualTo(RECORDS);
			assertThat((double) sizes.memory()).isCloseTo(made, Percentage.withPercentage(1));
		}
	}

	@Test
	void calculatesTheDiskAndTheWalOfAPostgres() {
		try (PostgresSizes sizes = new PostgresSizes(ANSWER)) {
			double wal = sizes.wal();
			sizes.filling().first(RECORDS);
			assertThat((sizes.wal() - wal) / RECORDS).isCloseTo(Sizing.walOfARequest(ANSWER), CLOSE);
			double made = sizes.disk();
			assertThat(made).isCloseTo(Sizing.postgresDisk(RECORDS, ANSWER), CLOSE);
			sizes.execute("truncate idempotency_record");
			sizes.copy(RECORDS);
			// A busy machine leaves more dead rows, which take space until they are
			// pruned
			assertThat(sizes.disk()).as("copied").isCloseTo(made, Percentage.withPercentage(20));
		}
	}

	/**
	 * Larger answers are beside the table.
	 */
	@Test
	void calculatesTheDiskOfLargeAnswers() {
		try (PostgresSizes sizes = new PostgresSizes(10_000)) {
			sizes.filling().first(2_000);
			assertThat(sizes.disk()).isCloseTo(Sizing.postgresDisk(2_000, 10_000), CLOSE);
		}
	}

}
