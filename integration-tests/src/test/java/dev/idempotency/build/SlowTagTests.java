package dev.idempotency.build;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.servers.Browser;
import dev.idempotency.servers.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;

import org.springframework.asm.ClassReader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The README's command is one that fits before every commit: tests that start processes
 * or browsers wait for {@code mvn verify -Pslow}.
 */
class SlowTagTests {

	private static final Set<String> COSTLY = Set.of(JavaProcess.class.getName(), Browser.class.getName());

	private static final int CLASS_CONSTANT = 7;

	private final Map<String, Set<String>> uses = uses();

	SlowTagTests() throws Exception {
	}

	@Test
	void isOnEveryTestThatStartsAProcessOrABrowser() {
		List<String> costly = this.uses.keySet()
			.stream()
			.filter((name) -> name.endsWith("Tests") && !name.equals(getClass().getName()))
			.filter((name) -> reached(name).stream().anyMatch(COSTLY::contains))
			.toList();
		assertThat(costly).hasSizeGreaterThan(15).allMatch(SlowTagTests::isSlow);
	}

	private static boolean isSlow(String name) {
		return Unchecked.get(() -> AnnotationSupport.findRepeatableAnnotations(Class.forName(name), Tag.class)
			.stream()
			.anyMatch((tag) -> tag.value().equals("slow")));
	}

	/**
	 * All classes of the tests that a class uses, and that those use.
	 */
	private Set<String> reached(String name) {
		Set<String> reached = new HashSet<>();
		Deque<String> left = new ArrayDeque<>(List.of(name));
		while (!left.isEmpty()) {
			for (String used : this.uses.getOrDefault(left.remove(), Set.of())) {
				if (reached.add(used)) {
					left.add(used);
				}
			}
		}
		return reached;
	}

	private static Map<String, Set<String>> uses() throws IOException, URISyntaxException {
		Path classes = Path.of(SlowTagTests.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		try (Stream<Path> files = Files.walk(classes)) {
			return files.filter((file) -> file.toString().endsWith(".class"))
				.map(SlowTagTests::read)
				.collect(Collectors.toMap((type) -> dotted(type.getClassName()), SlowTagTests::usedBy));
		}
	}

	private static ClassReader read(Path file) {
		return Unchecked.get(() -> new ClassReader(Files.readAllBytes(file)));
	}

	private static Set<String> usedBy(ClassReader type) {
		char[] buffer = new char[type.getMaxStringLength()];
		return IntStream.range(1, type.getItemCount())
			.map(type::getItem)
			.filter((item) -> item > 0 && type.readByte(item - 1) == CLASS_CONSTANT)
			.mapToObj((item) -> dotted(type.readUTF8(item, buffer)))
			.collect(Collectors.toSet());
	}

	private static String dotted(String name) {
		return name.replace('/', '.');
	}

}
