package dev.idempotency.http;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;

import dev.idempotency.IdempotencyKeyInvalidException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KeyTimeTests {

	/**
	 * The first two are the examples of RFC 9562 and of the specification of ULIDs.
	 */
	@ParameterizedTest
	@CsvSource({ "017F22E2-79B0-7CC3-98C4-DC0C0C07398F, 1645557742000", "01ARZ3NDEKTSV4RRFFQ69G5FAV, 1469922850259",
			"017f22e2-79b0-7cc3-98c4-dc0c0c07398f, 1645557742000", "01arz3ndektsv4rrffq69g5fav, 1469922850259",
			"00000000-0000-7000-8000-000000000000, 0", "00000000000000000000000000, 0",
			"ffffffff-ffff-7fff-bfff-ffffffffffff, 281474976710655", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ, 281474976710655" })
	void readsTheTimeOfAKey(String key, long millis) {
		assertThat(ofKey(key)).isEqualTo(Instant.ofEpochMilli(millis));
	}

	/**
	 * Other versions and variants, an overflow, letters that are no digits, and what is
	 * too short, too long or decorated.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "8e03978e-40d5-43e8-bc93-6894a57f9324", "1ec9414c-232a-6b00-b3c8-9e6bdeced846",
			"017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", "017f22e279b07cc398c4dc0c0c07398f",
			"017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
			"{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARZ3NDEKTSV4RRFFQ69G5FAI",
			"01ARZ3NDEKTSV4RRFFQ69G5FAU", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01ARZ3NDEKTSV4RRFFQ69G5FAVV", "order-1",
			"٠1ARZ3NDEKTSV4RRFFQ69G5FAV" })
	void refusesAKeyWithoutATime(String key) {
		assertThatExceptionOfType(IdempotencyKeyInvalidException.class).isThrownBy(() -> ofKey(key))
			.withMessageContaining("UUID of version 7 or a ULID")
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain(key));
	}

	@ParameterizedTest
	@ValueSource(strings = { "Sun, 06 Nov 1994 08:49:37 GMT", " Sun, 06 Nov 1994 08:49:37 GMT\t" })
	void readsTheTimeInAHeader(String field) {
		assertThat(ofHeader(field)).isEqualTo(Instant.parse("1994-11-06T08:49:37Z"));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "", " ", "1994-11-06T08:49:37Z", "784111777", "@784111777", "Mon, 06 Nov 1994 08:49:37 GMT",
					"Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT" })
	void refusesAHeaderWithoutADate(String field) {
		assertRefused(field);
	}

	@Test
	void refusesAHeaderThatIsMissingOrSentTwice() {
		assertRefused();
		assertRefused("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT");
	}

	private static void assertRefused(String... fields) {
		assertThatExceptionOfType(IdempotencyKeyInvalidException.class).isThrownBy(() -> ofHeader(fields))
			.withMessageContaining("First-Sent");
	}

	private static Instant ofKey(String key) {
		return new KeyTime(null).of(key, request());
	}

	private static Instant ofHeader(String... fields) {
		return new KeyTime("First-Sent").of("any", request(fields));
	}

	private static RequestFacts request(String... fields) {
		return (RequestFacts) Proxy.newProxyInstance(KeyTimeTests.class.getClassLoader(),
				new Class<?>[] { RequestFacts.class }, (proxy, method, arguments) -> List.of(fields));
	}

}
