package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.Reason;
import dev.idempotency.RecordState;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each arrow in the drawing of {@link IdempotencyEngine}, walked once.
 */
class StateMachineTests extends EngineFixture {

	private static final IdempotencyKey QUALIFIED = KEY.within("shop");

	@Test
	void claimLeadsFromAbsentToInProgress() {
		Execution execution = proceed();
		assertThat(execution.attempt()).isEqualTo(1);
		assertThat(execution.mayHaveRun()).isFalse();
		assertThat(state()).isEqualTo("in progress");
	}

	@Test
	void completeLeadsFromInProgressToCompleted() {
		assertThat(proceed().complete(bytes("paid"))).isEqualTo(Completion.stored(true));
		assertThat(state()).isEqualTo("completed");
	}

	@Test
	void releaseLeadsFromInProgressToAbsent() {
		proceed().close();
		assertThat(state()).isEqualTo("absent");
		assertThat(proceed().attempt()).isEqualTo(1);
	}

	@Test
	void ttlLeadsFromCompletedToAbsent() {
		proceed().complete(bytes("paid"));
		this.clock.advance(TTL);
		assertThat(state()).isEqualTo("absent");
		assertThat(proceed().attempt()).isEqualTo(1);
	}

	@Test
	void renewLeadsFromInProgressToInProgress() {
		Execution execution = proceed();
		for (int i = 0; i < 10; i++) {
			this.clock.advance(LEASE.dividedBy(2));
			this.engine.renewLeases();
			assertThat(begin().reason()).isEqualTo(Reason.IN_PROGRESS);
		}
		assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
	}

	@Test
	void takeoverLeadsFromInProgressToInProgress() {
		proceed();
		this.clock.advance(LEASE);
		Execution second = proceed();
		assertThat(second.attempt()).isEqualTo(2);
		assertThat(second.mayHaveRun()).isTrue();
		assertThat(state()).isEqualTo("in progress");
	}

	@Test
	void replayLeadsFromCompletedToCompleted() {
		proceed().complete(bytes("paid"));
		assertThat(replayed(begin())).isEqualTo("paid");
		assertThat(replayed(begin())).isEqualTo("paid");
		assertThat(state()).isEqualTo("completed");
	}

	@Test
	void noArrowLeadsFromCompletedToARun() {
		Execution execution = proceed();
		execution.complete(bytes("paid"));
		execution.close();
		this.clock.advance(TTL.minus(Duration.ofMillis(1)));
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void releaseAfterTakeoverKeepsTheCrashInMind() {
		proceed();
		this.clock.advance(LEASE);
		proceed().close();
		Execution third = proceed();
		assertThat(third.attempt()).isEqualTo(3);
		assertThat(third.mayHaveRun()).isTrue();
	}

	private String state() {
		return this.memory.find(QUALIFIED)
			.map((found) -> (found.status().state() == RecordState.COMPLETED) ? "completed" : "in progress")
			.orElse("absent");
	}

}
