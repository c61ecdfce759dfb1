package dev.idempotency.call;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.Steps;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static dev.idempotency.call.CallFixture.KEY;
import static dev.idempotency.call.CallFixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Steps of operations whose store fails them.
 */
class StepFaultTests {

	private final CallFixture fixture = new CallFixture();

	private final List<String> ran = new CopyOnWriteArrayList<>();

	@ParameterizedTest
	@EnumSource(names = { "BEFORE", "AFTER" })
	void runsNoStepThatNoRetryWouldFind(Fault fault) {
		AtomicInteger completions = new AtomicInteger();
		this.fixture.faults = (verb) -> (verb == StoreVerb.COMPLETE && completions.incrementAndGet() == 1) ? fault
				: Fault.NONE;
		assertThatThrownBy(() -> operation(() -> {
			step("charge");
			throw this.fixture.death();
		})).isInstanceOf((fault == Fault.BEFORE) ? OperationInProgressException.class : CallFixture.Death.class);
		this.fixture.mend();
		this.fixture.clock.advance(LEASE);
		this.fixture.restart();
		operation(() -> assertThat(step("charge")).isEqualTo("charge 1"));
	}

	@Test
	void goesOnWithoutItsStoreWhereItIsToldTo() {
		this.fixture.idempotency = this.fixture.template(Mode.ENFORCE, OnStoreFailure.PROCEED);
		operation(() -> {
			this.fixture.faults = (verb) -> Fault.BEFORE;
			assertThat(step("charge")).isEqualTo("charge 1");
			assertThat(step("ship")).isEqualTo("ship 2");
			this.fixture.mend();
		});
	}

	@Test
	void saysThatAStepMayHaveRunWhoseResultCouldNotBeStored() {
		this.fixture.untilDeath(() -> operation(() -> {
			step("reserve");
			this.fixture.fail(StoreVerb.COMPLETE, Fault.BEFORE);
			step("charge");
			throw this.fixture.death();
		}));
		operation(() -> steps().run("charge", () -> assertThat(IdempotencyContext.current().mayHaveRun()).isTrue()));
	}

	private void operation(Runnable work) {
		this.fixture.idempotency.execute(KEY, work::run);
	}

	private static Steps steps() {
		return IdempotencyContext.current().steps();
	}

	private String step(String name) {
		return steps().run(name, String.class, () -> work(name));
	}

	private String work(String name) {
		this.ran.add(name);
		return name + " " + this.ran.size();
	}

}
