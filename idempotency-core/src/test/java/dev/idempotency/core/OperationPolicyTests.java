package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class OperationPolicyTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final OperationPolicy policy = OperationPolicy.of(HOUR, SECOND);

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "PT0.0001S", "P3651D" })
	void rejectsAnImpossibleLeaseOrTtlAndNamesTheSetting(String text) {
		Duration duration = Duration.parse(text);
		assertThatIllegalArgumentException().isThrownBy(() -> OperationPolicy.of(HOUR, duration))
			.withMessageContaining("lease must be at")
			.withMessageContaining("such as 30s");
		assertThatIllegalArgumentException().isThrownBy(() -> this.policy.withTtl(duration))
			.withMessageContaining("ttl must be at")
			.withMessageContaining("such as 24h");
	}

	@Test
	@SuppressWarnings("NullAway")
	void rejectsNull() {
		assertThatNullPointerException().isThrownBy(() -> OperationPolicy.of(null, SECOND))
			.withMessageContaining("ttl");
		assertThatNullPointerException().isThrownBy(() -> this.policy.withPatience(null))
			.withMessageContaining("patience");
	}

	@Test
	void rejectsALeaseLongerThanTheTtl() {
		assertThatIllegalArgumentException().isThrownBy(() -> OperationPolicy.of(SECOND, HOUR))
			.withMessageContaining("idempotency.lease (PT1H) must not be longer than idempotency.ttl (PT1S)");
		assertThat(OperationPolicy.of(HOUR, HOUR).lease()).isEqualTo(HOUR);
	}

	@Test
	void rejectsNegativePatienceAndReplays() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.policy.withPatience(Duration.ofMillis(-1)))
			.withMessageContaining("wait-timeout");
		assertThatIllegalArgumentException().isThrownBy(() -> this.policy.withMaxReplays(-1))
			.withMessageContaining("max-replays");
	}

	@Test
	void changesOneThingAtATime() {
		assertThat(this.policy.withPatience(SECOND).withMaxReplays(3).withTtl(Duration.ofHours(2)))
			.isEqualTo(new OperationPolicy(Duration.ofHours(2), SECOND, this.policy.onCrash(), SECOND, 3));
	}

	@Test
	void readsReplaysUnlessTheyAreLimited() {
		assertThat(this.policy.terms().onReplay()).isEqualTo(OnReplay.READ);
		assertThat(this.policy.withMaxReplays(3).terms().onReplay()).isEqualTo(OnReplay.COUNT);
	}

	@Test
	void extendsWithoutALimitOfReplays() {
		OperationPolicy extending = this.policy.withMaxReplays(3).withExtendingReplays();
		assertThat(extending.terms().onReplay()).isEqualTo(OnReplay.EXTEND);
		assertThat(extending.maxReplays()).isZero();
		assertThatIllegalArgumentException().isThrownBy(() -> extending.withMaxReplays(3))
			.withMessageContaining("cannot be limited");
	}

	@Test
	void goesOnExtendingWhateverElseChanges() {
		OperationPolicy changed = this.policy.withExtendingReplays()
			.withTtl(Duration.ofHours(2))
			.withOnCrash(OnCrash.REFUSE)
			.withPatience(SECOND)
			.withMaxReplays(0);
		assertThat(changed.terms())
			.isEqualTo(new ClaimTerms(SECOND, Duration.ofHours(2), OnCrash.REFUSE, OnReplay.EXTEND));
	}

}
