package dev.idempotency.guides;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the README and the guides show is so: their code is compiled, their settings
 * exist, their commands name something, and their links lead somewhere. The code of a
 * guide is in this package, in a test that uses it.
 */
@Tag("once")
class GuidesTests {

	private static final Path ROOT = Path.of("..");

	private final BlockCheck check = new BlockCheck(ROOT);

	private static List<Path> guides() throws IOException {
		try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
			return files.filter((file) -> file.toString().endsWith(".md")).sorted().toList();
		}
	}

	@TestFactory
	Stream<DynamicTest> showsWhatIsSo() throws IOException {
		List<Path> files = new ArrayList<>(guides());
		files.add(0, ROOT.resolve("README.md"));
		return files.stream()
			.flatMap((file) -> CodeBlocks.in(file).stream())
			.map((block) -> DynamicTest.dynamicTest(block.toString(),
					() -> assertThat(this.check.complaints(block)).as("%s", block).isEmpty()));
	}

	@Test
	void pointsToWhatIsThere() throws IOException {
		List<Path> files = new ArrayList<>(guides());
		Stream.of("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md").map(ROOT::resolve).forEach(files::add);
		assertThat(files.stream().flatMap((file) -> MarkdownLinks.broken(file).stream())).isEmpty();
	}

	@Test
	void leavesTheReadmeShort() throws IOException {
		assertThat(Files.size(ROOT.resolve("README.md"))).isLessThan(13_200);
	}

	@Test
	void areFoundFromTheReadme() throws IOException {
		String entrances = Files.readString(ROOT.resolve("README.md"))
				+ Files.readString(ROOT.resolve("CONTRIBUTING.md"));
		for (Path guide : guides()) {
			assertThat(entrances).contains("(docs/%s".formatted(guide.getFileName()));
		}
	}

}
