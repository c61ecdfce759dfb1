package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What native images are told.
 */
class NativeImageTests {

	private static final List<Path> RESOURCES = Stream.of("jdbc", "redis", "autoconfigure")
		.map((module) -> Path.of("../idempotency-%s/src/main/resources".formatted(module)))
		.toList();

	private static RuntimeHints ofTheLibrary() {
		RuntimeHints hints = new RuntimeHints();
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("dev.idempotency."))
			.forEach((registrar) -> registrar.registerHints(hints, NativeImageTests.class.getClassLoader()));
		return hints;
	}

	@Test
	void takeEveryFileOfTheLibraryAlong() throws IOException {
		RuntimeHints hints = ofTheLibrary();
		List<String> names = new ArrayList<>();
		for (Path resources : RESOURCES) {
			try (Stream<Path> files = Files.walk(resources.resolve("dev"))) {
				files.filter(Files::isRegularFile)
					.map((file) -> resources.relativize(file).toString().replace('\\', '/'))
					.forEach(names::add);
			}
		}
		assertThat(names).hasSizeGreaterThan(20)
			.allSatisfy(
					(name) -> assertThat(RuntimeHintsPredicates.resource().forResource(name)).as(name).accepts(hints));
	}

	@Test
	void knowTheAnnotationAndTheFunctionsOfKeys() throws ClassNotFoundException {
		RuntimeHints hints = ofTheLibrary();
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Idempotent.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Idempotent.class, "ttl")).accepts(hints);
		Class<?> parts = Class.forName("dev.idempotency.http.KeyParts");
		for (String function : List.of("header", "body", "path", "query", "derived", "join")) {
			assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(parts, function)).accepts(hints);
		}
	}

	@Test
	void knowWhatProtectedMethodsTakeAndReturn() {
		InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get(NativeImageTests.class)), files);
		AnnotationConfigServletWebServerApplicationContext context = new AnnotationConfigServletWebServerApplicationContext();
		context.register(Application.class);
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		generation.writeGeneratedContent();
		RuntimeHints hints = generation.getRuntimeHints();
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Payments.class, "charge")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Payments.class, "findCharge")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class, "id")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Receipt.class, "number")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(DeclinedException.class)
			.withMemberCategories(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, MemberCategory.ACCESS_DECLARED_FIELDS))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(Unrelated.class))).rejects(hints);
		assertThat(files.getGeneratedFiles(Kind.CLASS).keySet())
			.anyMatch((name) -> name.contains("Payments$$SpringCGLIB"));
	}

	record Order(String id) {
	}

	record Receipt(int number) {
	}

	record Unrelated(int number) {
	}

	static class DeclinedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		DeclinedException(String message) {
			super(message);
		}

	}

	static class Payments {

		@Idempotent(key = "#order.id", verify = "findCharge", storeExceptions = DeclinedException.class)
		public Receipt charge(Order order) {
			return new Receipt(1);
		}

		public Optional<Receipt> findCharge(Order order) {
			return Optional.empty();
		}

		public Unrelated look() {
			return new Unrelated(1);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DispatcherServletAutoConfiguration.class,
			WebMvcAutoConfiguration.class, IdempotencyAutoConfiguration.class,
			IdempotencyTransactionAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class,
			IdempotencyMethodAutoConfiguration.class, IdempotencyOpenApiAutoConfiguration.class })
	static class Application {

		@Bean
		Payments payments() {
			return new Payments();
		}

	}

}
