package dev.idempotency;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The arrows of the architecture: stores remember, the engine decides, the edges
 * translate.
 */
class ArchitectureTests {

	private static final String ROOT = "dev.idempotency";

	/**
	 * For each of our packages, those of our packages that it may use beside itself. A
	 * package that is missing here must not exist.
	 */
	private static final Map<String, Set<String>> ARROWS = Map.ofEntries(Map.entry("digest", Set.of()),
			Map.entry("", Set.of("digest")), Map.entry("store", Set.of("")),
			Map.entry("store.memory", Set.of("", "store")), Map.entry("store.jdbc", Set.of("", "store")),
			Map.entry("store.redis", Set.of("", "store")), Map.entry("core", Set.of("digest", "", "store")),
			Map.entry("json", Set.of("digest")), Map.entry("call", Set.of("digest", "", "store", "core", "json")),
			Map.entry("http", Set.of("digest", "", "store", "core", "json", "call")),
			Map.entry("web", Set.of("", "core", "call", "http")),
			Map.entry("method", Set.of("", "core", "call", "reactive")),
			Map.entry("reactive", Set.of("", "core", "call")),
			Map.entry("webflux", Set.of("", "core", "call", "http", "reactive")),
			Map.entry("openapi", Set.of("", "core", "http")), Map.entry("ai", Set.of("", "core", "json", "call")),
			Map.entry("actuate", Set.of("", "store", "core")),
			Map.entry("client", Set.of("digest", "", "json", "reactive")),
			Map.entry("autoconfigure", Set.of("", "store", "store.memory", "store.jdbc", "store.redis", "core", "call",
					"http", "web", "webflux", "method", "reactive", "openapi", "ai", "actuate", "client")));

	static final Set<String> PACKAGES = ARROWS.keySet();

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		// What tests are made with is on the class path, and no part of the house
		.withImportOption((location) -> !location.contains("idempotency-test") && !location.contains("test-fixtures"))
		.importPackages(ROOT);

	@Test
	void everyPackageHasItsPlace() {
		Set<String> packages = CLASSES.stream()
			.map((type) -> nameOf(type.getPackageName()))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(packages).isSubsetOf(PACKAGES).contains("", "store", "store.memory", "core", "autoconfigure");
	}

	@ParameterizedTest
	@FieldSource("PACKAGES")
	void usesOnlyWhatTheArrowsAllow(String name) {
		Set<String> allowed = ARROWS.getOrDefault(name, Set.of());
		noClasses().that()
			.resideInAPackage(fullName(name))
			.should()
			.dependOnClassesThat(ours("in a package that " + name + " may not use",
					(used) -> !used.equals(name) && !allowed.contains(used)))
			.allowEmptyShould(true)
			.check(CLASSES);
	}

	@Test
	void hasNoCycles() {
		slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void theHeartKnowsNeitherSpringNorHttp() {
		noClasses().that()
			.resideInAnyPackage(ROOT, ROOT + ".digest", ROOT + ".store", ROOT + ".core")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework..", "jakarta..", "io.micrometer..")
			.check(CLASSES);
	}

	@Test
	void whatIsHttpKnowsNoContainer() {
		noClasses().that()
			.resideInAPackage(fullName("http"))
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet..",
					"org.springframework.web.reactive..")
			.check(CLASSES);
	}

	/**
	 * Keys and responses have times of day: tests choose theirs.
	 */
	@Test
	void timeIsPassedIn() {
		noClasses().that()
			.haveNameNotMatching(ROOT + "\\.(store\\.MonotonicClock|core\\.Attempt|http\\.Gate)")
			.should()
			.callMethodWhere(describe("reads a static clock",
					(call) -> Set
						.of("java.lang.System.nanoTime", "java.lang.System.currentTimeMillis", "java.time.Instant.now",
								"java.time.Clock.systemUTC", "java.time.Clock.systemDefaultZone")
						.contains(call.getTargetOwner().getName() + "." + call.getName())))
			.check(CLASSES);
	}

	@Test
	void neverUsesTheJacksonThatSpringBootLeftBehindNorJavaSerialization() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAPackage("com.fasterxml.jackson.databind..")
			.orShould()
			.dependOnClassesThat()
			.haveNameMatching("java\\.io\\.Object(In|Out)putStream")
			.check(CLASSES);
	}

	@Test
	void onlyOneRoomKnowsSpringdoc() {
		noClasses().that()
			.resideOutsideOfPackages(fullName("openapi"), fullName("autoconfigure"))
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springdoc..", "io.swagger..")
			.check(CLASSES);
	}

	/**
	 * The compiler copies them to those who need them.
	 */
	private static final Set<String> CONSTANTS = Set.of("DryRunHeader", "KeyHeader");

	/**
	 * A type is public because another package needs it, because a guide names it, or
	 * because it is in a signature of one that is. Auto-configurations and properties are
	 * for Spring Boot.
	 */
	@Test
	void publicMeansThatSomebodyNeedsIt() throws IOException {
		String guides = guides();
		assertThat(CLASSES).filteredOn((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.filteredOn((type) -> type.isTopLevelClass() && !type.isAnnotatedWith(AutoConfiguration.class))
			.filteredOn((type) -> !type.getSimpleName().endsWith("Properties"))
			.hasSizeGreaterThan(100)
			.filteredOn((type) -> !isNeeded(type))
			.map(JavaClass::getSimpleName)
			.filteredOn((name) -> !CONSTANTS.contains(name))
			.filteredOn((name) -> !Pattern.compile("\\b" + name + "\\b").matcher(guides).find())
			.isEmpty();
	}

	private static boolean isNeeded(JavaClass type) {
		return type.getDirectDependenciesToSelf()
			.stream()
			.map(Dependency::getOriginClass)
			.anyMatch((user) -> !user.getPackageName().equals(type.getPackageName()))
				|| Stream
					.of(type.getMethodsWithReturnTypeOfSelf(), type.getMethodsWithParameterTypeOfSelf(),
							type.getConstructorsWithParameterTypeOfSelf())
					.flatMap(Set::stream)
					.anyMatch((member) -> member.getModifiers().contains(JavaModifier.PUBLIC)
							&& member.getOwner().getModifiers().contains(JavaModifier.PUBLIC)
							&& !member.getOwner().equals(type));
	}

	private static String guides() throws IOException {
		StringBuilder guides = new StringBuilder(Files.readString(Path.of("../README.md")));
		try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("../docs"), "*.md")) {
			for (Path file : files) {
				guides.append(Files.readString(file));
			}
		}
		return guides.toString();
	}

	/**
	 * An interface is there because users implement it, because two classes do, or
	 * because it is a function.
	 */
	@Test
	void anInterfaceThatIsNotForUsersHasTwoImplementations() {
		assertThat(CLASSES)
			.filteredOn((type) -> type.isInterface() && !type.isAnnotation()
					&& !type.getModifiers().contains(JavaModifier.PUBLIC))
			.filteredOn((type) -> type.getMethods()
				.stream()
				.filter((method) -> method.getModifiers().contains(JavaModifier.ABSTRACT))
				.count() > 1)
			.filteredOn((type) -> type.getAllSubclasses().stream().filter((sub) -> !sub.isInterface()).count() < 2)
			.map(JavaClass::getName)
			.isEmpty();
	}

	@Test
	void autoConfigurationsAreFinalAndLiveInOnePlace() {
		classes().that()
			.areAnnotatedWith(AutoConfiguration.class)
			.should()
			.haveModifier(JavaModifier.FINAL)
			.andShould()
			.resideInAPackage(fullName("autoconfigure"))
			.check(CLASSES);
	}

	@Test
	void beanMethodsArePackagePrivate() {
		methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate().check(CLASSES);
	}

	private static DescribedPredicate<JavaClass> ours(String description, Predicate<String> packageName) {
		return describe(description, (type) -> (type.getPackageName() + ".").startsWith(ROOT + ".")
				&& packageName.test(nameOf(type.getPackageName())));
	}

	private static String nameOf(String packageName) {
		return packageName.equals(ROOT) ? "" : packageName.substring(ROOT.length() + 1);
	}

	private static String fullName(String name) {
		return name.isEmpty() ? ROOT : ROOT + "." + name;
	}

}
