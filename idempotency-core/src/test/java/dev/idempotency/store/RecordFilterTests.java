package dev.idempotency.store;

import java.time.Duration;
import java.util.HexFormat;

import dev.idempotency.IdempotencyKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RecordFilterTests {

	private static final RecordFilter ALL = RecordFilter.all("shop");

	@ParameterizedTest
	@ValueSource(strings = { "", "g", "AB", "0x12", "12 ", "*" })
	void refusesAStartOfAnIdThatNoIdHas(String start) {
		assertThatIllegalArgumentException().isThrownBy(() -> ALL.withIdPrefix(start))
			.withMessageContaining("hexadecimal digits");
	}

	@Test
	void refusesAnAgeBelowZeroAndCutsOneThatIsTooGreat() {
		assertThatIllegalArgumentException().isThrownBy(() -> ALL.withAge(Duration.ofMillis(-1), null));
		assertThat(ALL.withAge(null, Duration.ofSeconds(Long.MAX_VALUE)).maxAge()).isEqualTo(Duration.ofDays(36_500));
	}

	@Test
	void knowsWhatTheIdsOfAKeyBeginWith() {
		String start = HexFormat.of().formatHex(IdempotencyKey.digestStart("key"));
		assertThat(ALL.idStart()).isEmpty();
		assertThat(ALL.withKey("key").idStart()).isEqualTo(start);
		assertThat(RecordId.of(IdempotencyKey.of("pay", "key")).value()).startsWith(start);
		assertThat(ALL.withIdPrefix("abc").idStart()).isEqualTo("abc");
		assertThat(ALL.withIdPrefix("abc").withKey("key").idStart()).isEqualTo(start);
		assertThat(ALL.withIdPrefix("0123456789").withKey("key").idStart()).isEqualTo("0123456789");
	}

	@Test
	void cutsTextsAsStoresDo() {
		RecordFilter filter = new RecordFilter("n".repeat(300), "k".repeat(300), null, "o\u0000", null, null, null);
		assertThat(filter.namespace()).isEqualTo("n".repeat(254) + "\u2026");
		assertThat(filter.key()).isEqualTo("k".repeat(254) + "\u2026");
		assertThat(filter.operation()).isEqualTo("o\ufffd");
	}

}
