package dev.idempotency.store.jdbc;

import dev.idempotency.IdempotencyKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentKeysTests {

	private final RecentKeys keys = new RecentKeys();

	private static byte[] id(int number) {
		return IdempotencyKey.of("tests", "key " + number).digest();
	}

	@Test
	void knowsAKeyUntilItIsRemoved() {
		assertThat(this.keys.contains(id(1))).isFalse();
		this.keys.add(id(1));
		assertThat(this.keys.contains(id(1))).isTrue();
		this.keys.remove(id(2));
		assertThat(this.keys.contains(id(1))).isTrue();
		this.keys.remove(id(1));
		assertThat(this.keys.contains(id(1))).isFalse();
	}

	@Test
	void knowsTheLatestAndTakesNoneForAnother() {
		for (int number = 0; number < 100_000; number++) {
			assertThat(this.keys.contains(id(number))).isFalse();
			this.keys.add(id(number));
			assertThat(this.keys.contains(id(number))).isTrue();
		}
	}

}
