package dev.idempotency.model;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@code docs/model.md} says of the model and of the code is so.
 */
class ModelGuideTests {

	private static final Path STATE_MACHINE = Path
		.of("../idempotency-test/src/test/java/dev/idempotency/core/StateMachineTests.java");

	private final String guide = Files.readString(Path.of("../docs/model.md"));

	private final ProtocolModel model = ProtocolModel.load();

	ModelGuideTests() throws Exception {
	}

	@Test
	void namesEveryAction() {
		List<String> actions = ProtocolModel.ACTIONS.stream().flatMap(List::stream).toList();
		Stream<String> named = rows("action in the model").flatMap((row) -> codes(row.get(0)));
		assertThat(named).containsExactlyInAnyOrderElementsOf(actions);
		assertThat(actions)
			.allSatisfy((action) -> assertThat(this.model.text()).containsPattern("\npred %s\\b".formatted(action)));
	}

	@Test
	void namesEveryArrowOfTheStateMachine() throws Exception {
		List<String> arrows = all("@Test\n\tvoid (\\w+)\\(", Files.readString(STATE_MACHINE)).toList();
		assertThat(rows("action in the model").flatMap((row) -> codes(row.get(2))).distinct())
			.containsExactlyInAnyOrderElementsOf(arrows)
			.hasSizeGreaterThan(8);
	}

	@Test
	void namesEveryPropertyInWordsAndInNumbers() {
		List<String> properties = this.model.commands("check");
		assertThat(rows("property | in words").flatMap((row) -> codes(row.get(0))))
			.containsExactlyElementsOf(properties);
		assertThat(rows("property | variables").flatMap((row) -> codes(row.get(0))))
			.containsExactlyElementsOf(properties);
	}

	@Test
	void statesTheScopeOfEveryCommand() {
		assertThat(Stream.of("check", "run").flatMap((kind) -> this.model.commands(kind).stream()))
			.allSatisfy((command) -> assertThat(this.guide).contains("`%s`".formatted(this.model.scope(command))));
	}

	/**
	 * The rows of the table with this title, cell by cell.
	 */
	private Stream<List<String>> rows(String title) {
		return this.guide.lines()
			.dropWhile((line) -> !line.startsWith("| " + title))
			.skip(2)
			.takeWhile((line) -> line.startsWith("|"))
			.map((line) -> List.of(line.substring(1).split("\\|", -1)));
	}

	private static Stream<String> codes(String cell) {
		return all("`(\\w+)`", cell);
	}

	private static Stream<String> all(String pattern, String text) {
		return Pattern.compile(pattern).matcher(text).results().map((match) -> match.group(1));
	}

}
