package dev.idempotency.model;

import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.model.Solver.Finding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the model of the protocol: what is promised holds in every behaviour within the
 * scope, and there are behaviours to speak of.
 */
class ProtocolModelTests {

	private static final ProtocolModel MODEL = ProtocolModel.load();

	static Stream<String> properties() {
		return MODEL.commands("check").stream();
	}

	static Stream<String> stories() {
		return MODEL.commands("run").stream();
	}

	@Test
	void asksForEveryPropertyThatItStates() {
		List<String> stated = MODEL.text()
			.lines()
			.filter((line) -> line.startsWith("assert "))
			.map((line) -> line.split(" ", -1)[1])
			.toList();
		assertThat(MODEL.commands("check")).containsExactlyInAnyOrderElementsOf(stated).hasSize(7);
	}

	@ParameterizedTest
	@MethodSource("properties")
	void holds(String property) {
		Finding finding = MODEL.run(property);
		assertThat(finding.steps()).isEmpty();
		assertThat(finding.found()).isFalse();
	}

	@ParameterizedTest
	@MethodSource("stories")
	void canHappen(String story) {
		assertThat(MODEL.run(story).found()).isTrue();
	}

}
