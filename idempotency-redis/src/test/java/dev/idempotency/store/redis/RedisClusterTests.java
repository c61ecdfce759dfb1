package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.stream.IntStream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.SearchableStore.Count;
import dev.idempotency.store.SearchableStore.Counts;
import dev.idempotency.store.SearchableStore.Found;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class RedisClusterTests extends RedisContract<LettuceConnectionFactory> {

	RedisClusterTests() {
		super(() -> RedisServers.lettuce(new RedisClusterConfiguration(RedisServers.sharedCluster().addresses())));
	}

	/**
	 * Each record takes a round trip there, so each server ends after a twentieth of what
	 * a single one reads, and notices it after a step of 500 names.
	 */
	@Test
	void readsSomeOfTheRecordsOfEachServerWhereThereAreTooMany() {
		String prefix = "idempotency-some:";
		int records = 4_500;
		ClaimTerms terms = new ClaimTerms(Duration.ofSeconds(1), Duration.ofMinutes(2), OnCrash.RETRY, OnReplay.READ);
		try (RedisIdempotencyStore store = new RedisIdempotencyStore(connectionFactory(), prefix, 0)) {
			IntStream.range(0, records)
				.mapToObj((number) -> new IdempotencyKey(new IdempotencyScope("some", "pay", null, null),
						"key " + number))
				.forEach((key) -> store.claim(key, RedisScene.FINGERPRINT, terms));
		}
		assertThat(search(prefix, 4_500 * 20).search(RecordFilter.all("some"), 0, 50).complete()).isTrue();
		assertThat(number(search(prefix, 4_500 * 20).count("some"))).isEqualTo(records);

		KeyspaceSearch hasty = search(prefix, 400 * 20);
		Found found = hasty.search(RecordFilter.all("some"), 0, 50);
		assertThat(found.complete()).isFalse();
		assertThat(found.records()).hasSize(50);
		Counts counts = hasty.count("some");
		assertThat(counts.exact()).isFalse();
		assertThat(number(counts)).isCloseTo(records, Percentage.withPercentage(30));
	}

	private KeyspaceSearch search(String prefix, int mostRecords) {
		return new KeyspaceSearch(connectionFactory(), new ScriptRunner(connectionFactory()), new Names(prefix),
				mostRecords);
	}

	private static long number(Counts counts) {
		return counts.counts().stream().mapToLong(Count::number).sum();
	}

}
