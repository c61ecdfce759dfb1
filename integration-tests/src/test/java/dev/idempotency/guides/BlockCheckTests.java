package dev.idempotency.guides;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What holds the guides to the truth finds what is not true.
 */
@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BlockCheckTests {

	private static final Path ROOT = Path.of("..");

	private final BlockCheck check = new BlockCheck(ROOT);

	private List<String> complaints(String language, String... lines) {
		return complaintsIn("docs/guide.md", language, lines);
	}

	private List<String> complaintsIn(String file, String language, String... lines) {
		return this.check.complaints(new CodeBlock(ROOT.resolve(file), 1, language, Arrays.asList(lines)));
	}

	@Test
	void readsBlocksWithTheirPlaceAndLanguage() {
		List<CodeBlock> blocks = CodeBlocks.in(ROOT, List.of("# A guide", "```java", "a();", "", "b();", "```", "text",
				"* in a list", "  ```", "  a drawing", "  ```"));
		assertThat(blocks).extracting(CodeBlock::line).containsExactly(2, 9);
		assertThat(blocks).extracting(CodeBlock::language).containsExactly("java", "");
		assertThat(blocks.get(0).lines()).containsExactly("a();", "", "b();");
	}

	@Test
	void noticesABlockThatIsNeverClosed() {
		assertThatIllegalStateException().isThrownBy(() -> CodeBlocks.in(ROOT, List.of("text", "```java", "a();")))
			.withMessageContaining(":2 ");
	}

	@Test
	void acceptsJavaThatIsCompiledWhateverItsIndentation() {
		assertThat(complaints("java", "    private static final Path ROOT = Path.of(\"..\");", "",
				"private final BlockCheck check = new BlockCheck(ROOT);"))
			.isEmpty();
	}

	@Test
	void findsJavaThatNobodyCompiles() {
		assertThat(complaints("java", "private static final Path ROOT = Path.of(\"..\");", "int nobodyHas = this;"))
			.singleElement()
			.asString()
			.contains("'int nobodyHas = this;' does not follow in ", "BlockCheckTests.java");
		assertThat(complaints("java", "Receipt pay(Order order) { \u2026 }")).hasSize(1);
		assertThat(complaints("java", "")).hasSize(1);
	}

	@Test
	void findsJavaWhoseLinesStandApart() {
		assertThat(complaints("java", "private static final Path ROOT = Path.of(\"..\");",
				"private List<String> complaints(String language, String... lines) {"))
			.hasSize(1);
	}

	@Test
	void acceptsSettingsThatExist() {
		assertThat(complaints("yaml", "idempotency:", "  ttl: 7d", "  http.excluded-headers: [X-A, X-B]", "spring:",
				"  datasource.hikari.maximum-pool-size: 20", "management.endpoint.idempotency.show-values: always",
				"management.metrics.enable.idempotency: false", "orders.ttl: 3d"))
			.isEmpty();
		assertThat(complaints("properties", "idempotency.redis.wait-for-replicas=1",
				"idempotency.encryption.previous-keys[0]=${OLD_KEY}"))
			.isEmpty();
	}

	@Test
	void findsSettingsOfOursThatDoNotExist() {
		assertThat(complaints("yaml", "idempotency:", "  time-to-live: 7d")).singleElement()
			.asString()
			.contains("idempotency.time-to-live");
		assertThat(complaints("properties", "idempotency.http.ttl=7d")).hasSize(1);
		assertThat(complaints("properties", "idempotency.secret=${KEY}")).hasSize(1);
	}

	@Test
	void findsValuesOfOursThatAreNone() {
		assertThat(complaints("yaml", "idempotency:", "  store: mongo")).hasSize(1);
		assertThat(complaints("yaml", "idempotency:", "  ttl: soon")).hasSize(1);
		assertThat(complaints("yaml", "idempotency:", "  lease: 48h")).hasSize(1);
	}

	@Test
	void findsSettingsOfOthersThatDoNotExist() {
		assertThat(complaints("yaml", "spring:", "  datasource.hikari.pool-size: 20")).singleElement()
			.asString()
			.contains("spring.datasource.hikari.pool-size");
	}

	@Test
	void acceptsDependenciesThatCanBeHad() {
		DependencyRule builds = new DependencyRule(ROOT);
		assertThat(complaints("xml", "<dependency>", "  <groupId>dev.idempotency</groupId>",
				"  <artifactId>idempotency-spring-boot-starter</artifactId>",
				"  <version>%s</version>".formatted(builds.version()), "</dependency>", "<dependency>",
				"  <groupId>org.springframework.boot</groupId>",
				"  <artifactId>spring-boot-starter-webmvc</artifactId>", "</dependency>"))
			.isEmpty();
		assertThat(complaints("kotlin",
				"testImplementation(\"dev.idempotency:idempotency-test:%s\")".formatted(builds.version())))
			.isEmpty();
		assertThat(complaints("groovy", "runtimeOnly 'com.h2database:h2'")).isEmpty();
		assertThat(builds.lines()).isNotEmpty()
			.allSatisfy((line) -> assertThat(complaints("xml", parent(line))).isEmpty());
	}

	@Test
	void findsDependenciesThatCannotBeHad() {
		assertThat(complaints("kotlin", "implementation(\"dev.idempotency:idempotency-starter:0.0.9\")",
				"implementation(\"dev.idempotency:idempotency-test:0.0.9\")",
				"implementation(\"dev.idempotency:sample-app:0.0.9\")", "runtimeOnly(\"com.h2database:h3\")",
				"runtimeOnly(\"com.h2database:h2:2.4.240\")"))
			.hasSize(5);
		assertThat(complaints("xml", "<dependency/>")).hasSize(1);
		assertThat(complaints("xml", parent("3.5.0"))).hasSize(1);
	}

	private static String parent(String version) {
		return "<parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>"
				+ version + "</version></parent><groupId>com.example</groupId><artifactId>shop</artifactId>";
	}

	@Test
	void runsSql() {
		assertThat(complaints("sql", "select operation, count(*) from idempotency_record group by operation;"))
			.isEmpty();
		assertThat(complaints("sql", "select lease from idempotency_record;")).hasSize(1);
	}

	@Test
	void acceptsCommandsWhoseNamesExist() {
		assertThat(complaints("console", "$ JAZZER_FUZZ=1 mvn verify -pl integration-tests -Dtest=KeyHeader*Tests",
				"what it says", "$ ./gradlew :sample-app:bootRun"))
			.isEmpty();
		assertThat(complaints("bash", "mvn verify -Dlong=true")).isEmpty();
		assertThat(complaintsIn("README.md", "console", "$ curl localhost:8080")).isEmpty();
	}

	@Test
	void findsCommandsThatNameNothing() {
		assertThat(complaints("bash", "mvn -pl integration-test -Dtest=NoSuchTests,GuidesTests#a verify",
				"./gradlew :sample:bootRun", "curl localhost:8080", "make"))
			.hasSize(5);
	}

	@Test
	void findsCodeThatPassesForADrawing() {
		assertThat(complaints("", "a --> b", "text")).isEmpty();
		assertThat(complaints("text", "int i = 0;")).hasSize(1);
	}

	@Test
	void findsDiagramsThatNobodyCanDraw() {
		assertThat(complaints("mermaid", "sequenceDiagram", "a->>b: claim")).isEmpty();
		assertThat(complaints("mermaid", "a->>b: claim")).hasSize(1);
	}

	@Test
	void findsALanguageThatNothingChecks() {
		assertThat(complaints("scala", "val x = 1")).hasSize(1);
	}

	@Test
	void findsLinksThatLeadNowhere() {
		assertThat(MarkdownLinks.broken(ROOT.resolve("docs/guide.md"), List.of("[a](webhooks.md)",
				"[b](webhooks.md#what-to-set), [`c`](../README.md), [d](https://example.org/no) and `[e](no.md)`")))
			.isEmpty();
		assertThat(MarkdownLinks.broken(ROOT.resolve("docs/guide.md"),
				List.of("[a](no.md)", "[b](webhooks.md#no), [c](../LICENSE#no)")))
			.containsExactly("guide.md:1 no.md", "guide.md:2 webhooks.md#no", "guide.md:2 ../LICENSE#no");
	}

}
