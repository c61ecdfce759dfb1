package dev.idempotency.model;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each property fails on a mistake, and each counterexample in {@code docs/model.md} is
 * one: it can happen where the mistake is made, it breaks the property, and nothing
 * shorter does.
 */
@Tag("slow")
class PlantedMistakeTests {

	private static final ProtocolModel MODEL = ProtocolModel.load();

	static Stream<Counterexample> counterexamples() {
		return Counterexample.inTheGuide().stream();
	}

	@ParameterizedTest
	@MethodSource("counterexamples")
	void breaksTheProperty(Counterexample example) {
		ProtocolModel mistaken = MODEL.plant(example.mistake());
		String broken = "not (%s)".formatted(MODEL.assertion(example.property()));
		assertThat(mistaken.follow(example.script(), broken).found()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("counterexamples")
	void isTheShortest(Counterexample example) {
		ProtocolModel mistaken = MODEL.plant(example.mistake());
		assertThat(mistaken.check(example.property(), example.script().states() - 1).steps()).isEmpty();
	}

	@Test
	void concernsEveryMistakeAndEveryProperty() {
		List<Counterexample> examples = Counterexample.inTheGuide();
		assertThat(examples.stream().map(Counterexample::mistake).distinct())
			.containsExactlyInAnyOrderElementsOf(MODEL.mistakes());
		assertThat(examples.stream().map(Counterexample::property).distinct())
			.containsExactlyInAnyOrderElementsOf(MODEL.commands("check"));
	}

}
