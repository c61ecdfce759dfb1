package dev.idempotency.client;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

import dev.idempotency.Effect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.http.client.MockClientHttpResponse;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyResponseTests {

	private final HttpHeaders headers = new HttpHeaders();

	private final IdempotencyResponse response = IdempotencyResponse.of(this.headers);

	@Test
	void tellsAReplayFromAnExecution() {
		assertThat(this.response.isReplay()).isFalse();
		this.headers.set("Idempotent-Replayed", "true");
		this.headers.set("Idempotency-Effect", "noop");
		assertThat(this.response.isReplay()).isTrue();
		assertThat(this.response.effect()).isEmpty();
		assertThat(this.response.effectText()).hasValue("noop");
	}

	@ParameterizedTest
	@EnumSource(names = "INFERRED", mode = EnumSource.Mode.EXCLUDE)
	void saysWhatHappened(Effect effect) {
		this.headers.set("Idempotency-Effect", effect.name().toLowerCase(Locale.ROOT));
		assertThat(this.response.effect()).hasValue(effect);
	}

	@ParameterizedTest
	@ValueSource(strings = { "none", "would_replay", "inferred", "" })
	void doesNotInventAnEffect(String text) {
		this.headers.set("Idempotency-Effect", text);
		assertThat(this.response.effect()).isEmpty();
		assertThat(this.response.effectText()).hasValue(text);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "7 | PT7S", "0 | PT0S", "999999999 | PT277777H46M39S", "Sun, 15 Nov 2026 10:00:30 GMT | PT30S",
					"Sunday, 15-Nov-26 10:00:30 GMT | PT30S", "Sun, 15 Nov 2026 09:00:00 GMT | PT0S", "-1 |", "1.5 |",
					"99999999999999999999 |", "soon |", "'' |" })
	void readsSecondsAndDates(String value, @Nullable Duration expected) {
		this.headers.set("Date", "Sun, 15 Nov 2026 10:00:00 GMT");
		this.headers.set("Retry-After", value);
		assertThat(this.response.retryAfter()).isEqualTo(Optional.ofNullable(expected));
	}

	@Test
	void doesNotGuessWhatADateMeansWithoutAnother() {
		assertThat(this.response.retryAfter()).isEmpty();
		this.headers.set("Retry-After", "Sun, 15 Nov 2026 10:00:30 GMT");
		assertThat(this.response.retryAfter()).isEmpty();
		this.headers.set("Date", "yesterday");
		assertThat(this.response.retryAfter()).isEmpty();
	}

	@Test
	void readsEntitiesAndResponses() throws Exception {
		assertThat(IdempotencyResponse.of(ResponseEntity.ok().header("Idempotent-Replayed", "true").build()).isReplay())
			.isTrue();
		try (MockClientHttpResponse raw = new MockClientHttpResponse(new byte[0], HttpStatus.OK)) {
			raw.getHeaders().set("Idempotent-Replayed", "true");
			assertThat(IdempotencyResponse.of(raw).isReplay()).isTrue();
		}
	}

}
