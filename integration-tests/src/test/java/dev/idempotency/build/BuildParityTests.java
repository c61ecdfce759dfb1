package dev.idempotency.build;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two builds, one truth: neither the Maven build nor the Gradle build drifts away from
 * the other.
 */
class BuildParityTests {

	private static final Path ROOT = Path.of("..");

	private final MavenBuild maven = new MavenBuild(ROOT);

	private final GradleBuild gradle = new GradleBuild(ROOT);

	BuildParityTests() throws Exception {
	}

	@Test
	void buildsTheSameModules() throws Exception {
		assertThat(this.gradle.modules()).isEqualTo(this.maven.modules()).hasSize(14);
	}

	@Test
	void keepsEachPackageInOneModule() throws Exception {
		Map<String, List<String>> packages = new TreeMap<>();
		for (String module : this.maven.modules()) {
			Path sources = ROOT.resolve(module).resolve("src/main/java");
			if (this.maven.isPublished(module) && Files.exists(sources)) {
				try (Stream<Path> files = Files.walk(sources)) {
					files.filter((file) -> file.endsWith("package-info.java"))
						.map((file) -> sources.relativize(file.getParent()).toString())
						.forEach((name) -> packages.computeIfAbsent(name, (missing) -> new ArrayList<>()).add(module));
				}
			}
		}
		assertThat(packages).hasSizeGreaterThan(10).allSatisfy((name, modules) -> assertThat(modules).hasSize(1));
	}

	@Test
	void buildsTheSameRelease() throws Exception {
		assertThat(this.gradle.groupAndVersion()).isEqualTo(this.maven.groupAndVersion());
	}

	@Test
	void usesTheSameVersions() throws Exception {
		Map<String, String> versions = new TreeMap<>(this.gradle.versions());
		// A plugin of Gradle's own
		versions.remove("errorprone-plugin");
		assertThat(versions).isEqualTo(this.maven.versions()).containsEntry("java", "17");
	}

	@Test
	void declaresTheSameDependenciesInTheSameScopes() throws Exception {
		for (String module : this.maven.modules()) {
			assertThat(this.gradle.dependencies(module)).as(module)
				.isEqualTo(this.maven.dependencies(module))
				.isNotEmpty();
		}
	}

	@Test
	void putsEachModuleOnTheSameBootLine() throws Exception {
		Map<String, String> lines = new TreeMap<>();
		for (String module : this.maven.modules()) {
			lines.put(module, this.maven.bootLine(module));
			assertThat(this.gradle.bootLine(module)).as(module).isEqualTo(this.maven.bootLine(module));
		}
		assertThat(lines).containsEntry("idempotency-autoconfigure", "floor")
			.containsEntry("benchmarks", "sample")
			.containsEntry("integration-tests", "test")
			.containsEntry("torture-tests", "test")
			.containsEntry("sample-app", "sample");
	}

	@Test
	void publishesTheSameModulesUnderTheSameDescription() throws Exception {
		for (String module : this.maven.modules()) {
			assertThat(this.gradle.isPublished(module)).as(module)
				.isEqualTo(this.maven.isPublished(module))
				.isEqualTo(module.startsWith("idempotency-"));
			assertThat(this.gradle.description(module)).as(module).isEqualTo(this.maven.description(module));
		}
	}

	@Test
	void tellsRepositoriesTheSame() throws Exception {
		assertThat(this.gradle.metadata()).isEqualTo(this.maven.metadata())
			.containsOnlyKeys("url", "license.name", "license.url", "developer.name", "developer.organization",
					"developer.organizationUrl", "scm.connection", "scm.developerConnection", "scm.url")
			.allSatisfy((name, value) -> assertThat(value).as(name).isNotBlank());
		assertThat(this.maven.inheritedWithTheNameOfTheModule()).isEmpty();
	}

	@Test
	void publishesSourcesAndDocumentation() throws Exception {
		assertThat(this.gradle.publishing()).contains("withSourcesJar()", "withJavadocJar()", "SIGNING_KEY",
				"SIGNING_PASSWORD");
		assertThat(this.maven.pluginsOf("release")).contains("maven-source-plugin", "maven-javadoc-plugin");
		assertThat(this.maven.pluginsOf("sign")).containsExactly("maven-gpg-plugin");
	}

	@Test
	void checksTheSame() throws Exception {
		assertThat(this.maven.compilerArguments())
			.contains("-Xlint:all,-processing", "-Werror", "-Xdoclint:all/protected,-missing")
			.anySatisfy((argument) -> assertThat(argument).contains("-Xplugin:ErrorProne", "-Xep:NullAway:ERROR",
					"NullAway:AnnotatedPackages=dev.idempotency", "NullAway:HandleTestAssertionLibraries=true"));
		assertThat(this.gradle.conventions()).contains("\"-parameters\", \"-Xlint:all,-processing\", \"-Werror\"",
				"-Xdoclint:all/protected,-missing", "id(\"net.ltgt.errorprone\")", "id(\"io.spring.javaformat\")",
				"    jacoco\n", "check(\"NullAway\", CheckSeverity.ERROR)",
				"option(\"NullAway:AnnotatedPackages\", \"dev.idempotency\")",
				"option(\"NullAway:HandleTestAssertionLibraries\", \"true\")", "isPreserveFileTimestamps = false",
				"isReproducibleFileOrder = true");
	}

	@Test
	void leavesTheSameTestsOut() throws Exception {
		assertThat(this.maven.propertiesOf("quick")).containsExactly(Map.entry("excludedGroups", "slow"));
		assertThat(this.maven.propertiesOf("slow")).containsEntry("groups", "slow")
			.containsEntry("excludedGroups", "")
			.containsEntry("forkCount", "3");
		assertThat(this.gradle.conventions()).contains("if (slow) includeTags(\"slow\") else excludeTags(\"slow\")",
				"systemProperty(\"test.excluded-groups\", if (slow) \"\" else \"slow\")",
				"maxParallelForks = if (slow) 3 else 4\n");
	}

	@Test
	void countsTheCoverageOfTheSameClasses() throws Exception {
		assertThat(this.maven.coveredClasses()).containsExactly("dev.idempotency.*");
		assertThat(this.gradle.conventions()).contains("includes = listOf(\"dev.idempotency.*\")");
	}

	@Test
	void keepsAlloyAndWhatItHasInsideOffTheClassPath() throws Exception {
		assertThat(Files.readString(ROOT.resolve("torture-tests/pom.xml"))).contains(
				"<classpathDependencyExclude>org.alloytools:org.alloytools.alloy.dist</classpathDependencyExclude>",
				"<alloy.jar>");
		assertThat(Files.readString(ROOT.resolve("torture-tests/build.gradle.kts"))).contains("    classpath -= alloy",
				"-Dalloy.jar=");
	}

	@Test
	void fetchesOneReleaseOfGradleAndChecksIt() throws Exception {
		assertThat(this.gradle.wrapper()).contains("gradle-9.1.0-bin.zip")
			.containsPattern("distributionSha256Sum=[0-9a-f]{64}\n");
	}

}
